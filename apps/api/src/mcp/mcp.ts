import { endpoints, ParleyError } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ApiSettings } from "../config.ts";
import { authenticate, callerOf } from "../requests/authenticate.ts";
import { charge, createChargeRequest } from "../requests/charge-request.ts";
import type { ApiServices } from "../services.ts";
import { MCP_PATH } from "./path.ts";

/** Serves the Model Context Protocol: each request is answered from what it holds, without a session. */
export function registerMcp(root: FastifyInstance, services: ApiServices): void {
  void root.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser<Buffer>(
      "*",
      { parseAs: "buffer" },
      async (_request: unknown, body: Buffer) => body,
    );
    const charges = {
      "conversations.create": createChargeRequest(services, endpoints["conversations.create"]),
      "messages.create": createChargeRequest(services, endpoints["messages.create"]),
      "sandboxFunctions.invoke": createChargeRequest(
        services,
        endpoints["sandboxFunctions.invoke"],
      ),
    };
    app.route({
      method: "POST",
      url: MCP_PATH,
      onRequest: async (request, reply) => {
        requireOrigin(services.settings, request);
        await authenticate(services, request);
        requireWorkspaceKey(request);
        await charge(services, { rateLimit: "read" }, { request, reply });
      },
      handler: async (request, reply) => {
        // Loading the protocol's code would make each start longer.
        const { answerRequest } = await import("./answer-request.ts");
        return answerRequest(services, charges, { request, reply });
      },
    });
  });
}

/** Refuses pages of origins that may not call the server: the transport of MCP demands it. */
function requireOrigin(
  { PARLEY_CORS_ORIGINS: origins }: ApiSettings,
  { headers }: FastifyRequest,
): void {
  const { origin } = headers;
  if (origin === undefined || origins.includes("*") || origins.includes(origin)) return;
  throw new ParleyError("app_auth_error", "Pages of this Origin may not call the server");
}

function requireWorkspaceKey(request: FastifyRequest): void {
  if (callerOf(request).kind === "workspace") return;
  const message = "An operator key is of no workspace: this needs a key of one, or a user token";
  throw new ParleyError("app_auth_error", message);
}
