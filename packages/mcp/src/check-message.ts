import {
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  parseJSONRPCMessage,
} from "@modelcontextprotocol/client";
import { requireFewValues } from "@parley/schema";

/** Deepest nesting of a message: 64 levels of a value, in the levels that MCP puts around it. */
const MAX_MESSAGE_DEPTH = 72;

/**
 * Parses a JSON-RPC message of a server. Throws an `Error` whose message says what is wrong with it, before
 * anything recursive has seen it.
 */
export function checkMessage(text: string): JSONRPCMessage {
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
  try {
    return parseJSONRPCMessage(value);
  } catch {
    throw new Error("The answer is not a JSON-RPC message");
  }
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

/** The id of the request that a message answers, if it is an answer: `null` where it names none. */
export function answeredId(message: JSONRPCMessage): string | null | undefined {
  if (isJSONRPCRequest(message)) return undefined;
  if (!isJSONRPCResultResponse(message) && !isJSONRPCErrorResponse(message)) return undefined;
  return message.id === undefined || message.id === null ? null : String(message.id);
}
