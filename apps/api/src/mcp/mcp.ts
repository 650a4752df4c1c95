import { endpoints, ParleyError, tooManyValues } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { authenticate, callerOf } from "../requests/authenticate.ts";
import { charge, createChargeRequest } from "../requests/charge-request.ts";
import { decodeBody } from "../http/read-body.ts";
import { isOriginOf } from "../requests/session-cookie.ts";
import { chargeBody, takePlace } from "../requests/body-costs.ts";
import type { ApiServices } from "../services.ts";
import { MAX_MESSAGE_VALUES, MCP_PATH } from "./path.ts";

/** What the protocol's code takes of the event loop for a value, in those of other bodies. */
const VALUE_WEIGHT = 4;

/** Serves the Model Context Protocol: each request is answered from what it holds, without a session. */
export function registerMcp(root: FastifyInstance, services: ApiServices): void {
  void root.register(async (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser<Buffer>(
      "*",
      { parseAs: "buffer" },
      async (request: FastifyRequest, body: Buffer) => takeText(services, request, body),
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
        requireOrigin(services, request);
        await authenticate(services, request);
        requireWorkspaceKey(request);
        await charge(services, { rateLimit: "read" }, { request, reply });
        request.maxValues = MAX_MESSAGE_VALUES;
        await takePlace(services, { request, reply }, VALUE_WEIGHT);
      },
      handler: async (request, reply) => {
        // Loading the protocol's code would make each start longer.
        const { answerRequest } = await import("./answer-request.ts");
        return answerRequest(services, charges, { request, reply });
      },
    });
  });
}

/** The text of a body, or why it is refused: that is said where the message is read, as the protocol refuses. */
async function takeText(
  services: ApiServices,
  request: FastifyRequest,
  body: Buffer,
): Promise<string | ParleyError> {
  let text: string;
  try {
    text = await services.inTurn(body.length, () => decodeBody(request, body));
  } catch (error) {
    if (error instanceof ParleyError) return error;
    throw error;
  }
  const isFew = await chargeBody(services, request, text, VALUE_WEIGHT);
  return isFew ? text : tooManyValues(MAX_MESSAGE_VALUES);
}

/**
 * Refuses pages of origins that may not call the server: the transport of MCP demands it. The server's own pages
 * may. A page that let its name point here has no key, and no cookie counts under such a name.
 */
function requireOrigin({ settings, core }: ApiServices, { headers }: FastifyRequest): void {
  const { origin, host = "" } = headers;
  const origins = settings.PARLEY_CORS_ORIGINS;
  if (origin === undefined || origins.includes("*") || origins.includes(origin)) return;
  if (isOriginOf(origin, host) || origin === new URL(core.publicUrl).origin) return;
  throw new ParleyError("app_auth_error", "Pages of this origin may not call the server");
}

function requireWorkspaceKey(request: FastifyRequest): void {
  if (callerOf(request).kind === "workspace") return;
  const message =
    "An operator key does not belong to a workspace: use a workspace's key or a user token";
  throw new ParleyError("app_auth_error", message);
}
