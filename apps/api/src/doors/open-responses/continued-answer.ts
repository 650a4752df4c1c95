import { type CreateResponse, type InputItem, invalidRequest } from "@parley/schema";
import { toParleyError } from "@parley/rpc";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import { type DoorExchange, openLog } from "../door.ts";
import { readThrough } from "../send-events.ts";
import { createResponseCodec, type ResponseCodec } from "./response-codec.ts";
import { parseItemId, parseResponseId, type ResponsePlace } from "./response-ids.ts";

/** Answers that a request may refer to: each is read. */
const MAX_REFERRED = 32;

type AnswerPlace = Omit<ResponsePlace, "segment">;

/** The place of the response that a request names as its previous one. Throws `invalid_request_error` for another id. */
export function previousPlace({
  previous_response_id: id,
}: Pick<CreateResponse, "previous_response_id">): ResponsePlace | undefined {
  if (id === undefined) return undefined;
  const place = parseResponseId(id);
  if (place !== undefined) return place;
  const message = "there is no response with this id";
  throw invalidRequest("body", [{ path: "previous_response_id", message }]);
}

/** All items of an answer so far. Throws as its stream does. */
export async function readWholeAnswer(
  exchange: DoorExchange,
  place: AnswerPlace,
): Promise<ResponseCodec> {
  const codec = createResponseCodec({ ...place, segment: "all" });
  const params = { cId: place.conversationId, mId: place.messageId };
  const query = { include: "function_calls" };
  const source = await openLog(exchange, "messages.events", { params, query });
  await readThrough(exchange, source, codec, { onlySoFar: true });
  return codec;
}

/** Items with those that they refer to in place of the references. Throws `invalid_request_error` for unknown ones. */
export async function resolveReferences(
  exchange: DoorExchange,
  input: CreateResponse["input"],
): Promise<CreateResponse["input"]> {
  if (typeof input === "string" || !input.some(isReference)) return input;
  const answers = new Map<string, Promise<ResponseCodec>>();
  const resolve = async (item: InputItem, index: number): Promise<InputItem[]> => {
    if (!isReference(item)) return [item];
    const place = parseItemId(item.id);
    const path = `input[${index}].id`;
    const unknown = invalidRequest("body", [{ path, message: "there is no item with this id" }]);
    if (place === undefined) throw unknown;
    if (answers.size >= MAX_REFERRED && !answers.has(place.messageId)) {
      const message = `refers to another answer than the ${MAX_REFERRED} before: send the items themselves`;
      throw invalidRequest("body", [{ path, message }]);
    }
    const answer = answers.getOrInsertComputed(place.messageId, () =>
      readWholeAnswer(exchange, place),
    );
    const found = (await answer).output().find(({ id }) => id === item.id);
    if (found === undefined) throw unknown;
    return toInput(found);
  };
  const resolved: InputItem[] = [];
  for (const [index, item] of input.entries()) {
    // oxlint-disable-next-line no-await-in-loop -- an answer is read once
    resolved.push(...(await resolve(item, index)));
  }
  return resolved;
}

const isReference = (item: InputItem): item is Extract<InputItem, { type: "item_reference" }> =>
  "type" in item && item.type === "item_reference";

/** An item of an output as one of an input. */
function toInput(item: Readonly<Record<string, unknown>>): InputItem[] {
  switch (item["type"]) {
    case "message": {
      const [part] = item["content"] as { text?: string }[];
      const about = { id: undefined, status: undefined, phase: undefined };
      return [{ ...about, role: "assistant", content: part?.text ?? "" }];
    }
    case "function_call":
    case "mcp_call":
      // Written by this program, in the form that it reads.
      return [item as InputItem];
    default:
      return [];
  }
}

/**
 * The answer that waits for outputs which a request sends without naming the response: that of the calls that it refers
 * to or repeats. Undefined if it sends none, or a question after them, and for calls that the caller cannot read: those
 * were made elsewhere.
 */
export async function findReferredAnswer(
  exchange: DoorExchange,
  input: CreateResponse["input"],
): Promise<AnswerPlace | undefined> {
  if (typeof input === "string") return undefined;
  const last = input.at(-1);
  if (last === undefined || !("type" in last) || last.type !== "function_call_output") {
    return undefined;
  }
  const found = input.findLast(isCall);
  const place = parseItemId(found?.id ?? "");
  if (place === undefined) return undefined;
  const { conversationId, messageId } = place;
  const params = { cId: conversationId, mId: messageId };
  try {
    await callEndpoint(exchange, "messages.getAnswer", { params });
  } catch (error) {
    if (toParleyError(error).status !== 404) throw error;
    return undefined;
  }
  return { conversationId, messageId };
}

const isCall = (item: InputItem): item is Extract<InputItem, { type: "function_call" }> =>
  ("type" in item && item.type === "function_call") ||
  (isReference(item) && item.id.startsWith("fc_"));
