import { createMcpHandler, type ProtocolError } from "@modelcontextprotocol/server";
import type { FastifyReply } from "fastify";
import type { createChargeRequest } from "../requests/charge-request.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import type { ApiServices } from "../services.ts";
import { createServer } from "./create-server.ts";
import type { McpContext, McpExchange } from "./exchange.ts";
import { MCP_PATH } from "./path.ts";
import { chargedEndpoint, readMessage } from "./read-message.ts";

/** What charges a request for the endpoint that it calls. */
type Charges = Readonly<
  Record<NonNullable<ReturnType<typeof chargedEndpoint>>, ReturnType<typeof createChargeRequest>>
>;

/** Answers a request of a workspace's key: charges it for what it calls, and calls that. */
export async function answerRequest(
  services: ApiServices,
  charges: Charges,
  exchange: Pick<McpExchange, "request" | "reply">,
): Promise<FastifyReply> {
  const { request, reply } = exchange;
  const { message, refusal } = await readMessage(services, request);
  if (refusal !== undefined) return refuse(reply, refusal);
  const charged = chargedEndpoint(message);
  const idempotencyKey = charged && (await charges[charged](exchange));
  // Of a workspace, as was checked.
  const context = procedureContext(services, exchange, { idempotencyKey }) as McpContext;
  const response = await respond({ ...exchange, services, context }, message);
  return sendResponse(reply, response);
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
