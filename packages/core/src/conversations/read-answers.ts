import { messages } from "@parley/db";
import type { AgentMessage, MessageEvent } from "@parley/schema";
import { inArray } from "drizzle-orm";
import { renderBriefly } from "../agents/agents.ts";
import type { Context } from "../context.ts";
import type { StoredEvent } from "../log/bus.ts";
import { readMessages, type ReadMessages } from "../messages/read-messages.ts";
import { renderAgentMessage } from "../messages/render-messages.ts";
import type { NewTurn } from "./new-messages.ts";

/**
 * Gives the answers of turns: as they now are, given the terminal events of their logs, or as they were
 * written if nobody waited for those. Never throws: answers that cannot be read are given as they
 * were written.
 */
export async function readAnswers(
  context: Context,
  turns: readonly NewTurn[],
  ends: ReadonlyMap<string, StoredEvent> | undefined,
): Promise<AgentMessage[]> {
  const answers = turns.flatMap(({ message, agent }) => {
    const answer = readSuccess(ends?.get(message.sid)?.payload);
    // Reuses the long instructions that are already in memory.
    return answer === undefined ? [] : { ...answer, configuration: renderBriefly(context, agent) };
  });
  // The event of an agent that succeeded carries its message; the others are read.
  if (answers.length === turns.length) return answers;
  const read = ends && (await readCurrent(context, turns));
  const current = new Map(read?.messages.map((message) => [message.id, message]));
  return turns.map(({ message, agent }) =>
    renderAgentMessage(context, current.get(message.id) ?? message, {
      agent,
      actions: read?.actions.get(message.id),
    }),
  );
}

/** Undefined if the messages cannot be read now: the request is already committed and must not fail. */
async function readCurrent(
  context: Context,
  turns: readonly NewTurn[],
): Promise<ReadMessages | undefined> {
  const sids = turns.map(({ message }) => message.sid);
  try {
    return await readMessages(context.database.db, inArray(messages.sid, sids));
  } catch (error) {
    context.onLateFailure(error);
    return undefined;
  }
}

function readSuccess(payload: string | undefined): AgentMessage | undefined {
  if (payload === undefined) return undefined;
  // Written by this program: the log holds what `MessageEvent` describes.
  const event = JSON.parse(payload) as MessageEvent;
  return event.type === "agent_message_success" ? event.message : undefined;
}
