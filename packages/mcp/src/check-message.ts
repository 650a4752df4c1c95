import { isJSONRPCRequest, parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { requireFewValues } from "@parley/schema";

/** Deepest nesting of a message: 64 levels of a value, in the levels that MCP puts around it. */
const MAX_MESSAGE_DEPTH = 72;

/** A JSON-RPC message of a server, as far as it was checked here. */
export type ServerMessage =
  | { readonly type: "answer"; readonly id: string | null }
  | { readonly type: "request" }
  | { readonly type: "notification"; readonly method: string };

/**
 * Parses a JSON-RPC message of a server. Throws an `Error` whose message says what is wrong with it, before
 * anything recursive has seen it.
 */
export function checkMessage(text: string): ServerMessage {
  if (isDeeperThan(text, MAX_MESSAGE_DEPTH)) {
    throw new Error("The answer's JSON is nested deeper than 64 levels");
  }
  try {
    requireFewValues(text);
  } catch {
    throw new Error("The answer's JSON holds more than 100000 values");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error("The answer is not JSON");
  }
  const method = methodOfNotification(value);
  if (method !== undefined) return { type: "notification", method };
  try {
    const message = parseJSONRPCMessage(value);
    if (isJSONRPCRequest(message)) return { type: "request" };
    const { id = null } = message as { id?: string | number };
    return { type: "answer", id: id === null ? null : String(id) };
  } catch {
    throw new Error("The answer is not a JSON-RPC message");
  }
}

/**
 * The method of a message without an id. These are cheap to send by the thousand, and the parser of all
 * messages takes 0.1 ms for each.
 */
function methodOfNotification(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || "id" in value) return undefined;
  const { jsonrpc, method } = value as { jsonrpc?: unknown; method?: unknown };
  return jsonrpc === "2.0" && typeof method === "string" ? method : undefined;
}

/** Whether JSON nests objects and lists deeper than `most`. */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let index = 0; index < text.length; index++) {
    const character = text[index];
    if (character === '"') index = endOfString(text, index);
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    if (depth > most) return true;
  }
  return false;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (index < text.length && text[index] !== '"') index += text[index] === "\\" ? 2 : 1;
  return index;
}
