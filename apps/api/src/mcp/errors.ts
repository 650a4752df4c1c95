import {
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { renderError, toParleyError } from "@parley/rpc";
import type { ParleyError } from "@parley/schema";
import { logUnexpected } from "../http/error-response.ts";
import type { McpExchange } from "./exchange.ts";

/** What was thrown as callers may see it; unexpected errors are logged and hidden. */
function toKnown({ request, reply }: McpExchange, thrown: unknown): ParleyError {
  const known = toParleyError(thrown);
  logUnexpected(known, request);
  reply.errorType = known.type;
  return known;
}

/** What was thrown as an error of JSON-RPC, with the type of the error table in its data. */
export function toProtocolError(exchange: McpExchange, thrown: unknown): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  const known = toKnown(exchange, thrown);
  const { InvalidParams, InternalError } = ProtocolErrorCode;
  const { error } = renderError(known, exchange.request.id);
  return new ProtocolError(
    known.status < 500 ? InvalidParams : InternalError,
    known.message,
    error,
  );
}

/** What was thrown as the result of a tool, so that a model can read it. */
export function toErrorResult(exchange: McpExchange, thrown: unknown): CallToolResult {
  const known = toKnown(exchange, thrown);
  const { error } = renderError(known, exchange.request.id);
  return failure(`${known.message} (${known.type})`, { error });
}

/** The result of a tool that failed. */
export function failure(text: string, structuredContent: Record<string, unknown>): CallToolResult {
  return { isError: true, content: [{ type: "text", text }], structuredContent };
}

/** The error for a tool that there is not, or that the caller may not call. */
export function unknownTool(name: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${name.slice(0, 64)}`);
}
