import { isJsonContentType, ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { cleanJson, parseCountedJson, ParleyError } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import * as z from "zod";
import type { ApiServices } from "../services.ts";
import { AGENT } from "./conversation-tools.ts";
import { FUNCTION } from "./function-tools.ts";

interface Read {
  /** The message as JSON; undefined for a body without JSON, which the SDK refuses. */
  readonly message?: unknown;
  readonly refusal?: ProtocolError;
}

/** Reads the one message of a request, within the bounds of other bodies. */
export async function readMessage({ inTurn }: ApiServices, request: FastifyRequest): Promise<Read> {
  const { headers, body } = request;
  const isJson = isJsonContentType(headers["content-type"] ?? null);
  const isText = typeof body === "string" && body !== "";
  if (!isJson || !(isText || body instanceof ParleyError)) return {};
  const { ParseError, InvalidRequest } = ProtocolErrorCode;
  try {
    if (!isText) throw body;
    const message = await inTurn(body.length, () => cleanJson(parseCountedJson(body)));
    if (!Array.isArray(message)) return { message };
    const reason = "Batches are not supported: send one message per request";
    return { refusal: new ProtocolError(InvalidRequest, reason) };
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error;
    return { refusal: new ProtocolError(ParseError, error.message) };
  }
}

const ToolCall = z.object({
  method: z.literal("tools/call"),
  params: z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }),
});

/** The endpoint whose rate limit a message counts against, and whose idempotency it has; none for most. */
export function chargedEndpoint(
  message: unknown,
): "conversations.create" | "messages.create" | "sandboxFunctions.invoke" | undefined {
  const { data } = ToolCall.safeParse(message);
  if (data === undefined) return undefined;
  const { name, arguments: given } = data.params;
  if (name.startsWith(FUNCTION)) return "sandboxFunctions.invoke";
  if (!name.startsWith(AGENT)) return undefined;
  return given?.["conversationId"] === undefined ? "conversations.create" : "messages.create";
}
