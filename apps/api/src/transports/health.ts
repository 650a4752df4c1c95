import { findSearchMode, isDatabaseUnwritable } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../services.ts";

/**
 * Serves /livez (the process responds) and /readyz (the database responds, has not lately refused a
 * write, and the rest of the process works). If the process has no worker and no other is alive, /readyz
 * says so in its details. It names the version, so that whoever runs it sees which one answers, what holds the code of
 * functions, how documents are searched if not by words alone, and root if that runs the process.
 */
export function registerHealth(app: FastifyInstance, services: ApiServices): void {
  app.get("/livez", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    if (services.leaving || services.draining) throw notReady("The server is shutting down");
    try {
      await services.core.database.ping();
    } catch (cause) {
      const message = isDatabaseUnwritable(cause)
        ? "The database does not accept writes"
        : "The database does not answer";
      throw notReady(message, cause);
    }
    const reason = services.whyNotReady();
    if (reason !== undefined) throw notReady(reason);
    if (services.writeHealth.failed()) throw notReady("The database does not accept writes");
    // It serves all the same: restarts of workers must not take it from its proxies.
    const details = await services.workerWatch?.whyNone();
    const sandbox = services.sandboxBoundary();
    const documents = await findSearchMode(services.core);
    return {
      status: "ok",
      ...(details !== undefined && { details }),
      ...(sandbox !== undefined && { sandbox }),
      ...(documents !== "word" && { documents }),
      ...(services.runsAsRoot && { user: "root" }),
      ...(services.version !== undefined && { version: services.version }),
    };
  });
}

function notReady(message: string, cause?: unknown): ParleyError {
  return new ParleyError("service_unavailable", message, { retryAfterSeconds: 1, cause });
}
