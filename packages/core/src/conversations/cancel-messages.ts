import { actions, events, messages, type Queryable, runs } from "@parley/db";
import type { MessageEvent, Success } from "@parley/schema";
import { and, asc, eq, inArray, sql } from "drizzle-orm";
import { requireConversation } from "../access/conversation-reach.ts";
import { findAgentVersions } from "../agents/agents.ts";
import type { Process } from "../context.ts";
import type { ConversationRow, MessageRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { appendEvents } from "../log/append.ts";
import { lockLogs, fenceLogs } from "../log/lock-logs.ts";
import type { Transaction } from "../log/transaction.ts";
import { setTokens, tokensOf } from "../messages/consumption-sums.ts";
import { sizeOfAnswer } from "../messages/conversation-size.ts";
import { wakeNextOf } from "../runs/wake-runs.ts";
import { closeCalls, readRunningCalls } from "../calls/open-calls.ts";

/**
 * Ends running agent messages with the text they have published, and stops their models and functions.
 * Ignores what has ended, is not an agent's, or is not in the conversation.
 */
export async function cancelMessages(
  context: KeyedContext,
  input: { cId: string; messageIds: readonly string[] },
): Promise<Success> {
  const conversation = await requireConversation(context.database.db, context, input.cId);
  await inTransactionOnce(context, { id: conversation.sid }, async (transaction) =>
    endMessages(context, transaction, { conversation, messageIds: input.messageIds }),
  );
  return { success: true };
}

/** What `cancelMessages` does, in a transaction of the caller's. */
export async function endMessages(
  core: Pick<Process, "now">,
  transaction: Transaction,
  asking: { readonly conversation: ConversationRow; readonly messageIds: readonly string[] },
): Promise<void> {
  const { conversation, messageIds } = asking;
  const { db, afterCommit } = transaction;
  const asked = await db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversation.id),
        inArray(messages.sid, [...new Set(messageIds)]),
        eq(messages.status, "created"),
      ),
    );
  if (asked.length === 0) return;
  const askedIds = asked.map(({ id }) => id);
  const running = await readRunningCalls(db, askedIds);
  const sids = asked.map((row) => row.sid);
  await lockLogs(db, [conversation.sid, ...sids, ...running]);
  const fences = await fenceLogs(db, sids, conversation.sid);
  const agentIds = asked.map((row) => row.agentId ?? 0);
  const agents = await findAgentVersions(db, conversation.workspaceId, agentIds);
  const now = core.now();
  // Others ended before their logs were locked.
  const ended = asked.filter(({ sid }) => fences.has(sid));
  if (ended.length === 0) return;
  for (const row of ended) {
    const said = await readPublished(db, row);
    const configurationId = agents.get(row.agentId ?? 0)?.sid ?? "";
    const about = { created: now, configurationId, messageId: row.sid };
    const guard = { logId: row.sid, fence: fences.get(row.sid)! };
    const cancelled = { type: "agent_generation_cancelled", ...about, step: said.step } as const;
    const done = {
      type: "agent_message_done",
      ...about,
      conversationId: conversation.sid,
      status: "error",
    } as const;
    const appends = [
      { logId: row.sid, events: [cancelled], guard },
      { logId: conversation.sid, events: [done], guard, answerBytes: said.bytes },
    ];
    await appendEvents(db, appends, afterCommit);
    const { content, chainOfThought, rawContents } = said;
    await db
      .update(messages)
      .set({ status: "cancelled", content, chainOfThought, rawContents, finishedAt: now })
      .where(eq(messages.sid, row.sid));
  }
  await closeCalls(
    core,
    transaction,
    ended.map(({ id }) => id),
  );
  const logIds = ended.map(({ sid }) => sid);
  const ofEnded = inArray(runs.logId, logIds);
  await db.execute(sql`
    update runs set status = 'finished', lease_until = null, finished_at = ${now},
      outcome = 'cancelled', ${setTokens}
    from messages m, ${tokensOf(sql`m.steps`)}
    where m.sid = runs.log_id and ${ofEnded}`);
  const endedRuns = sql`(select ${runs.orderingKey}, ${runs.id} from ${runs} where ${ofEnded})`;
  await db.execute(wakeNextOf(endedRuns));
  afterCommit.push({ topic: "runs", cause: "ended", logIds });
}

/** What a message has published: the tokens of its log, without what its worker has not written. */
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
  const said = {
    content: rawContents.map(({ content }) => content).join(""),
    chainOfThought: reasoning === "" ? null : reasoning,
  };
  const called = await db.select().from(actions).where(eq(actions.messageId, row.id));
  const bytes = sizeOfAnswer(said, called);
  return { ...said, step: rawContents.at(-1)?.step ?? 0, rawContents, bytes };
}
