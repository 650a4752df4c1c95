import { conversationIdOf } from "@parley/core";
import { toParleyError } from "@parley/rpc";
import type { AgentMessage } from "@parley/schema";
import { callEndpoint } from "../../requests/call-endpoint.ts";
import type { DoorExchange } from "../door.ts";

/** Positions of a conversation that are looked at for the last answer: there may be fragments after it. */
const NEWEST = "100";

/** A thread that has begun. */
export interface Thread {
  readonly conversationId: string;
  /** The newest answer. */
  readonly last: AgentMessage | undefined;
}

/**
 * Finds the conversation of a thread: the one that the caller has begun under the thread's id, else the one that has
 * this id, if the caller reaches it; undefined if there is none yet.
 */
export async function findThread(
  exchange: DoorExchange,
  threadId: string,
): Promise<Thread | undefined> {
  const begun = await readThread(exchange, conversationIdOf(exchange.context.caller, threadId));
  return begun ?? readThread(exchange, threadId);
}

/** Reads the end of a conversation; undefined if the caller reaches none with this id. */
export async function readThread(exchange: DoorExchange, cId: string): Promise<Thread | undefined> {
  const call = { params: { cId }, query: { limit: NEWEST } };
  const page = await callEndpoint(exchange, "conversations.get", call).catch(orUndefined);
  if (page === undefined) return undefined;
  const { sId: conversationId, content } = page.conversation;
  const newest = content.flatMap((versions) => versions.at(-1) ?? []);
  return {
    conversationId,
    last: newest
      .filter((message) => message.type === "agent_message")
      .findLast(({ visibility }) => visibility === "visible"),
  };
}

function orUndefined(error: unknown): undefined {
  if (toParleyError(error).type === "conversation_not_found") return undefined;
  throw error;
}

/** Calls of a conversation's newest answer, and of the tasks below it, that wait for somebody now. */
export async function readWaiting(
  exchange: DoorExchange,
  conversationId: string,
): Promise<Set<string>> {
  const thread = await readThread(exchange, conversationId);
  const own = (thread?.last?.actions ?? []).filter(({ status }) => status.startsWith("blocked_"));
  const call = { params: { cId: conversationId } };
  const listed = await callEndpoint(exchange, "conversations.listBlockedActions", call);
  const ofTasks = listed.blockedActions.filter(({ path }) => path !== undefined);
  return new Set([...own.map(({ sId }) => sId), ...ofTasks.map(({ actionId }) => actionId)]);
}
