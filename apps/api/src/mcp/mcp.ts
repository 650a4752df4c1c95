import { createMcpHandler, type ProtocolError } from "@modelcontextprotocol/server";
import { endpoints, ParleyError } from "@parley/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiSettings } from "../config.ts";
import { authenticate, callerOf } from "../requests/authenticate.ts";
import { charge, createChargeRequest } from "../requests/charge-request.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import type { ApiServices } from "../services.ts";
import { createServer } from "./create-server.ts";
import type { McpContext, McpExchange } from "./exchange.ts";
import { chargedEndpoint, readMessage } from "./read-message.ts";

/** Path of the MCP server. */
const MCP_PATH = "/mcp";

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
        const exchange = { request, reply };
        const { message, refusal } = readMessage(request);
        if (refusal !== undefined) return refuse(reply, refusal);
        const charged = chargedEndpoint(message);
        const idempotencyKey = charged && (await charges[charged](exchange));
        // Of a workspace, as was checked.
        const context = procedureContext(services, exchange, { idempotencyKey }) as McpContext;
        const response = await respond({ ...exchange, services, context }, message);
        return sendResponse(reply, response);
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

function refuse(reply: FastifyReply, { code, message }: ProtocolError): FastifyReply {
  reply.errorType = "invalid_request_error";
  return reply.code(400).send({ jsonrpc: "2.0", id: null, error: { code, message } });
}

/** The headers of a request that the protocol reads. */
const isRead = (name: string) => /^(?:accept|content-type|mcp-.+)$/.test(name);

/** Answers a message with a server of its own. */
async function respond(exchange: McpExchange, message: unknown): Promise<Response> {
  const { request, services } = exchange;
  const handler = createMcpHandler(() => createServer(exchange), {
    // What it refuses is the client's fault; what fails is logged where it failed.
    onerror: (error) => request.log.debug({ ...request.logFields, err: error }, "MCP refusal"),
  });
  const headers = Object.entries(request.headers).filter(([name]) => isRead(name));
  const url = new URL(MCP_PATH, services.core.publicUrl);
  const given = new Request(url, { method: "POST", headers: headers as [string, string][] });
  return handler.fetch(given, { parsedBody: message });
}

/** Sends a response of the SDK: JSON, nothing, or events as they come. */
async function sendResponse(reply: FastifyReply, response: Response): Promise<FastifyReply> {
  const { status, headers, body } = response;
  // Whether the connection stays open is not the protocol's to decide.
  for (const [name, value] of headers) if (name !== "connection") reply.header(name, value);
  reply.code(status);
  if (body === null) return reply.send();
  const isStream = headers.get("content-type")?.startsWith("text/event-stream") === true;
  return reply.send(isStream ? body : await response.text());
}
