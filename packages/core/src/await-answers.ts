import type { AgentMessage, MessageEvent } from "@parley/schema";
import type { Context } from "./context.ts";
import { waitForEnds } from "./events/wait.ts";
import { renderAgentMessage } from "./messages.ts";
import type { NewTurn } from "./new-messages.ts";
import { readMessages } from "./read-messages.ts";

/**
 * Waits until every agent has ended, the server's patience has, or the client is gone, and gives the
 * answers as they then are. Holds no database connection meanwhile. With `write`, which writes the
 * turns, it listens from before that on, so that it need not ask the log.
 */
export async function awaitAnswers(
  context: Context,
  turns: readonly NewTurn[],
  write?: () => Promise<void>,
): Promise<AgentMessage[]> {
  const [first] = turns;
  const failed = new AbortController();
  const waiting = waitForEnds(context, {
    logIds: turns.map((turn) => turn.message.sid),
    timeoutMs: context.blockingTimeoutMs,
    signal: AbortSignal.any([context.signal, failed.signal]),
    newAfter: write === undefined ? undefined : 0,
  });
  try {
    await write?.();
  } catch (error) {
    failed.abort();
    await waiting;
    throw error;
  }
  const ends = await waiting;
  if (first === undefined) return [];
  const messages = turns.flatMap(
    ({ message }) => readSuccess(ends.get(message.sid)?.payload) ?? [],
  );
  // The event of an agent that succeeded carries its message; the others are read.
  if (messages.length === turns.length) return messages;
  const read = await readMessages(context.database.db, first.message.conversationId);
  const current = new Map(read.messages.map((message) => [message.id, message]));
  return turns.map(({ message, agent }) =>
    renderAgentMessage(
      current.get(message.id) ?? message,
      agent,
      read.actions.get(message.id) ?? [],
    ),
  );
}

function readSuccess(payload: string | undefined): AgentMessage | undefined {
  if (payload === undefined) return undefined;
  // Written by this program: the log holds what `MessageEvent` describes.
  const event = JSON.parse(payload) as MessageEvent;
  return event.type === "agent_message_success" ? event.message : undefined;
}
