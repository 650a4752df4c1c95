import { events, messages, type Queryable, runs } from "@parley/db";
import type { MessageEvent, Success } from "@parley/schema";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { findAgentVersions } from "./agents.ts";
import type { Context } from "./context.ts";
import { closeCalls } from "./close-calls.ts";
import { appendEvents } from "./events/append.ts";
import { lockLogs, seizeLogs } from "./events/seize.ts";
import { readOpenCalls, runningOf } from "./function-calls.ts";
import { inTransactionOnce } from "./idempotency.ts";
import type { MessageRow } from "./rows.ts";
import { wakeNextOf } from "./runs/wake-runs.ts";
import { requireConversation } from "./stored-conversations.ts";

/**
 * Ends running agent messages with the text they have published, and stops their models and the
 * functions that they have called. What has
 * ended, is no answer, or is not in the conversation is left alone.
 */
export async function cancelMessages(
  context: Context,
  input: { cId: string; messageIds: readonly string[] },
): Promise<Success> {
  const conversation = await requireConversation(context.database.db, context, input.cId);
  await inTransactionOnce(context, conversation.sid, async (transaction) => {
    const { db, afterCommit } = transaction;
    const asked = await db
      .select()
      .from(messages)
      .where(
        and(
          eq(messages.conversationId, conversation.id),
          inArray(messages.sid, [...new Set(input.messageIds)]),
          eq(messages.status, "created"),
        ),
      );
    if (asked.length === 0) return;
    const messageIds = asked.map((row) => row.id);
    const running = runningOf(await readOpenCalls(db, messageIds)).map(({ sid }) => sid);
    const sids = asked.map((row) => row.sid);
    await lockLogs(db, [conversation.sid, ...sids, ...running]);
    const fences = await seizeLogs(db, sids, conversation.sid);
    const agentIds = asked.map((row) => row.agentId ?? 0);
    const agents = await findAgentVersions(db, conversation.workspaceId, agentIds);
    const now = context.now();
    const ended: string[] = [];
    const endedIds: number[] = [];
    for (const row of asked) {
      const fence = fences.get(row.sid);
      // It ended while its log was waited for.
      if (fence === undefined) continue;
      const said = await readPublished(db, row);
      const configurationId = agents.get(row.agentId ?? 0)?.sid ?? "";
      const about = { created: now, configurationId, messageId: row.sid };
      const guard = { logId: row.sid, fence };
      const cancelled = { type: "agent_generation_cancelled", ...about, step: said.step } as const;
      const done = {
        type: "agent_message_done",
        ...about,
        conversationId: conversation.sid,
        status: "error",
      } as const;
      const appends = [
        { logId: row.sid, events: [cancelled], guard },
        { logId: conversation.sid, events: [done], guard },
      ];
      await appendEvents(db, appends, afterCommit);
      const { content, chainOfThought, rawContents } = said;
      await db
        .update(messages)
        .set({ status: "cancelled", content, chainOfThought, rawContents, finishedAt: now })
        .where(eq(messages.sid, row.sid));
      ended.push(row.sid);
      endedIds.push(row.id);
    }
    if (ended.length === 0) return;
    await closeCalls(context, transaction, endedIds);
    const ofEnded = inArray(runs.logId, ended);
    await db.update(runs).set({ status: "finished", leaseUntil: null }).where(ofEnded);
    const endedRuns = sql`(select ${runs.lane}, ${runs.id} from ${runs} where ${ofEnded})`;
    await db.execute(wakeNextOf(endedRuns));
    afterCommit.push({ topic: "runs", cause: "ended", logIds: ended });
  });
  return { success: true };
}

/** What a message has said: the tokens of its log, which outlive what its worker still holds. */
async function readPublished(db: Queryable, row: MessageRow) {
  const published = await db
    .select({ payload: events.payload })
    .from(events)
    .where(and(eq(events.logId, row.sid), eq(events.type, "generation_tokens")))
    .orderBy(asc(events.seq));
  const steps = new Map<number, string>();
  let reasoning = "";
  for (const { payload } of published) {
    // Written by this program: the log holds what `MessageEvent` describes.
    const event = JSON.parse(payload) as Extract<MessageEvent, { type: "generation_tokens" }>;
    if (event.classification === "tokens") {
      steps.set(event.step, (steps.get(event.step) ?? "") + event.text);
    } else if (event.classification === "chain_of_thought") reasoning += event.text;
  }
  const rawContents = [...steps].map(([step, content]) => ({ step, content }));
  return {
    step: rawContents.at(-1)?.step ?? 0,
    content: rawContents.map(({ content }) => content).join(""),
    chainOfThought: reasoning === "" ? null : reasoning,
    rawContents,
  };
}
