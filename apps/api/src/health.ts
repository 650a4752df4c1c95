import { ParleyError } from "@parley/schema";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "./requests.ts";

/** Serves /livez (the process answers) and /readyz (it can serve: the database answers too). */
export function registerHealth(app: FastifyInstance, services: ApiServices): void {
  app.get("/livez", async () => ({ status: "ok" }));
  app.get("/readyz", async () => {
    if (services.leaving || services.draining) throw notReady("The server is shutting down");
    try {
      await services.core.database.ping();
    } catch (cause) {
      throw notReady("The database does not answer", cause);
    }
    return { status: "ok" };
  });
}

function notReady(message: string, cause?: unknown): ParleyError {
  return new ParleyError("service_unavailable", message, { retryAfterSeconds: 1, cause });
}
