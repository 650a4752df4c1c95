import type { ConversationMessage } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { DoorExchange } from "../door.ts";
import type { ResponsePlace } from "./response-ids.ts";

/** Positions that are looked at: a request has less before its answer. */
const MAX_POSITIONS = 100;

/** What a response was asked with, the newest first: a message, and the files and texts before it. */
export async function listInputItems(
  exchange: DoorExchange,
  place: ResponsePlace,
): Promise<object> {
  const params = { cId: place.conversationId, mId: place.messageId };
  const { answer } = await callEndpoint(exchange, "messages.getAnswer", { params });
  const query = { limit: MAX_POSITIONS, lastValue: `${answer.rank}.0` };
  const { conversation } = await callEndpoint(exchange, "conversations.get", { params, query });
  const before = conversation.content.map((versions) => versions.at(-1)!);
  const begin = before.findLastIndex(({ type }) => type === "agent_message") + 1;
  const data = before.slice(begin).toReversed().map(toItem);
  return {
    object: "list",
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: false,
  };
}

function toItem(message: ConversationMessage) {
  const shared = { id: `msg_${message.sId}`, type: "message", status: "completed", role: "user" };
  if (message.type !== "content_fragment") {
    return { ...shared, content: [{ type: "input_text", text: message.content }] };
  }
  const fileId = "fileId" in message ? message.fileId : null;
  return { ...shared, content: [{ type: "input_file", file_id: fileId, filename: message.title }] };
}
