import { events, logs, messages, type Queryable, runs } from "@parley/db";
import type { MessageEvent, Success } from "@parley/schema";
import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { findAgentVersions } from "./agents.ts";
import type { Context } from "./context.ts";
import { appendEvents } from "./events/append.ts";
import { inTransactionOnce } from "./idempotency.ts";
import type { MessageRow } from "./rows.ts";
import { requireConversation } from "./stored-conversations.ts";

/**
 * Ends running agent messages with the text they have published, and stops their models. What has
 * ended, is no answer, or is not in the conversation is left alone.
 */
export async function cancelMessages(
  context: Context,
  input: { cId: string; messageIds: readonly string[] },
): Promise<Success> {
  const conversation = await requireConversation(context.database.db, context, input.cId);
  await inTransactionOnce(context, conversation.sid, async ({ db, afterCommit }) => {
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
    const fences = await seizeLogs(db, [...asked.map((row) => row.sid), conversation.sid]);
    const agentIds = asked.map((row) => row.agentId ?? 0);
    const agents = await findAgentVersions(db, conversation.workspaceId, agentIds);
    const now = context.now();
    const ended: string[] = [];
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
    }
    if (ended.length === 0) return;
    await db
      .update(runs)
      .set({ status: "finished", leaseUntil: null })
      .where(inArray(runs.logId, ended));
    afterCommit.push({ topic: "runs", cause: "ended", logIds: ended });
  });
  return { success: true };
}

/**
 * Locks logs in the order of their ids and raises the fence of those that are open, so that nobody
 * else appends to them; the result holds the new fences.
 */
async function seizeLogs(db: Queryable, ids: readonly string[]): Promise<Map<string, number>> {
  const open = and(inArray(logs.id, [...ids]), isNull(logs.closedAt));
  const locked = await db
    .select({ id: logs.id })
    .from(logs)
    .where(open)
    .orderBy(asc(logs.id))
    .for("update");
  // A conversation's log has no fence: any writer may append to it.
  const answers = locked.map((log) => log.id).filter((id) => id !== ids.at(-1));
  if (answers.length === 0) return new Map();
  const rows = await db
    .update(logs)
    .set({ fence: sql`${logs.fence} + 1` })
    .where(inArray(logs.id, answers))
    .returning({ id: logs.id, fence: logs.fence });
  return new Map(rows.map((row) => [row.id, row.fence]));
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
