import { readLogEnd } from "@parley/core";
import { type DoorExchange, openLog } from "../door.ts";
import { sendEvents } from "../send-events.ts";
import { createRunCodec } from "./run-codec.ts";
import type { StartedRun } from "./started-run.ts";
import { readWaiting } from "./threads.ts";

const NAME = "messages.events";

/** A run to send. */
interface SentRun extends StartedRun {
  readonly threadId: string;
  readonly runId: string;
  /** The application's state, if the run has one. */
  readonly state?: unknown;
}

/** Sends a run from its beginning. Throws like `messages.events`, and `rate_limit_error` if too many streams are open. */
export async function streamRun(
  exchange: DoorExchange,
  { threadId, runId, conversationId, messageId, continues, state }: SentRun,
): Promise<void> {
  const params = { cId: conversationId, mId: messageId };
  const query = { include: ["function_calls", "children"] };
  const source = await openLog(exchange, NAME, { params, query });
  // The end of the log first: what is announced after it waits, and what was decided before it is found as decided.
  const { lastSeq, closed } = await readLogEnd(exchange.context.database.db, source.logId);
  const actionIds =
    lastSeq === 0 || closed ? new Set<string>() : await readWaiting(exchange, conversationId);
  const waiting = { actionIds, lastSeq };
  const codec = createRunCodec({
    threadId,
    runId,
    messageId,
    waiting,
    state,
    ...(continues && { continues }),
  });
  // To the client, a stream that ends is a run that has ended.
  sendEvents(exchange, { name: NAME, source, codec, mustBeWhole: true });
}
