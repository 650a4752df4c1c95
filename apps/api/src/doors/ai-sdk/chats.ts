import { conversationIdOf } from "@parley/core";
import { toParleyError } from "@parley/rpc";
import type {
  AgentMessage,
  Doors,
  Endpoints,
  OutputOf,
  ParsedInputOf,
  UserMessage,
} from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { DoorExchange } from "../door.ts";

/** Positions of a conversation that are looked at for the last answer: there may be fragments after it. */
const NEWEST = "100";

/** The end of a chat's conversation. */
export interface Chat {
  readonly conversationId: string;
  /** The newest message of a user. */
  readonly asked: UserMessage | undefined;
  /** The newest answer, in its newest version. */
  readonly last: AgentMessage | undefined;
}

/**
 * Finds the conversation of a chat: the one that the caller has begun under the chat's id, else the one that
 * has this id, if the caller reaches it; undefined if there is none yet.
 */
export async function findChat(exchange: DoorExchange, chatId: string): Promise<Chat | undefined> {
  const begun = await readChat(exchange, conversationIdOf(exchange.context.caller, chatId));
  return begun ?? readChat(exchange, chatId);
}

/** Reads a page of a chat's conversation, like `conversations.get`; undefined if there is none yet. */
export async function readChatPage(
  exchange: DoorExchange,
  chatId: string,
  query: ParsedInputOf<Doors["aiSdk.messages"]>,
): Promise<OutputOf<Endpoints["conversations.get"]> | undefined> {
  const { limit = Number(NEWEST), lastValue } = query;
  const page = { limit: String(limit), lastValue };
  const begun = conversationIdOf(exchange.context.caller, chatId);
  return (await getPage(exchange, begun, page)) ?? getPage(exchange, chatId, page);
}

async function getPage(exchange: DoorExchange, cId: string, query: object) {
  const call = { params: { cId }, query };
  return callEndpoint(exchange, "conversations.get", call).catch(orUndefined);
}

/** Reads the end of a conversation; undefined if the caller reaches none with this id. */
export async function readChat(exchange: DoorExchange, cId: string): Promise<Chat | undefined> {
  const found = await getPage(exchange, cId, { limit: NEWEST });
  if (found === undefined) return undefined;
  const { sId: conversationId, content } = found.conversation;
  const newest = content.flatMap((versions) => versions.at(-1) ?? []);
  // An answer is hidden once its question was edited and asks another agent.
  const messages = newest.filter(({ visibility }) => visibility === "visible");
  return {
    conversationId,
    asked: messages.findLast((one) => one.type === "user_message"),
    last: messages.findLast((one) => one.type === "agent_message"),
  };
}

function orUndefined(error: unknown): undefined {
  if (toParleyError(error).type === "conversation_not_found") return undefined;
  throw error;
}
