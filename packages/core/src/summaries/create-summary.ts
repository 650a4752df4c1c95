import { conversations, conversationSummaries, messages, type Queryable } from "@parley/db";
import { type CreateSummary, type HistorySummary, ParleyError } from "@parley/schema";
import { and, desc, eq } from "drizzle-orm";
import {
  lockConversation,
  reachesConversation,
  requireConversation,
  unknownConversation,
} from "../access/conversation-reach.ts";
import type { MentionServices } from "../agents/agent-directory.ts";
import { noSuchAgent } from "../agents/agents.ts";
import type { Context } from "../context.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { listenForEnds } from "../log/listen-for-ends.ts";
import type { RunServices } from "../runs/run-capacity.ts";
import { type BudgetServices, requireBudget } from "../usage/require-budget.ts";
import { requireModels } from "../workspaces/models.ts";
import { readPlanned } from "./read-transcript.ts";
import { findActiveSummary } from "./save-summary.ts";
import { insertCompaction } from "./start-compaction.ts";
import { renderSummary } from "./summaries.ts";

type SummaryContext = KeyedContext & BudgetServices & MentionServices & RunServices;

/**
 * Starts a summary of all that a conversation has said so far, up to its first open answer, whatever its agents' settings
 * say; with `blocking`, answers when it is written, has failed, or at the timeout. Throws `agent_not_found`,
 * `model_disabled`, `budget_exceeded`, `version_conflict` while another one is written, and `invalid_request_error` if a
 * summary has all of it already.
 */
export async function createSummary(
  context: SummaryContext,
  { cId, agentId, blocking }: CreateSummary & { cId: string },
): Promise<HistorySummary> {
  const { workspace, apiKey, user } = context.caller;
  await requireConversation(context.database.db, context, cId);
  const agent = (await context.agents.find(workspace.id, [agentId])).get(agentId);
  if (agent === undefined) throw noSuchAgent();
  requireModels(workspace, undefined, [agent]);
  await requireBudget(context, { agents: [agent], conversationSid: cId, userId: user.id });
  await context.reserveRunCapacity(workspace.id, "compaction", 1);
  const sid = context.newId("sum");
  await inTransactionOnce(context, { id: sid }, async (transaction) => {
    const { db } = transaction;
    const { id: conversationId } = await lockConversation(db, context, cId);
    const active = await findActiveSummary(db, conversationId);
    const range = await findRange(db, { conversationId, after: active?.toRank ?? -1 });
    const isStarted = await insertCompaction(context, transaction, {
      sid,
      workspaceId: workspace.id,
      conversationId,
      answerId: range.answerId,
      // Nothing holds off what is asked for.
      rank: NEVER_HELD,
      summarisedTo: active?.toRank ?? -1,
      agentId: agent.id,
      providerId: agent.providerId,
      modelId: agent.modelId,
      apiKeyId: apiKey.id,
      userId: user.id,
      requestId: context.origin?.requestId ?? null,
      traceparent: context.origin?.traceparent ?? null,
    });
    if (!isStarted) {
      const message = "A summary of the conversation is being written: wait until it has ended";
      throw new ParleyError("version_conflict", message);
    }
    // Its run continues as if an attempt before had chosen the range.
    const chosen = {
      ...range.ranks,
      containsNumber: active?.number ?? null,
      containsToRank: active?.toRank ?? null,
      carried: active?.carried ?? [],
      progress: {
        text: active?.text ?? "",
        rank: range.ranks.fromRank,
        offset: 0,
        bytes: Buffer.byteLength(active?.text ?? ""),
      },
    };
    await db.update(conversationSummaries).set(chosen).where(eq(conversationSummaries.sid, sid));
  });
  return readCreated(context, sid, blocking);
}

/** Replays a summary that was started. */
export async function replaySummary(
  context: SummaryContext,
  { blocking }: CreateSummary,
  createdId: string,
): Promise<HistorySummary> {
  return readCreated(context, createdId, blocking);
}

/** No position of a conversation is as far. */
const NEVER_HELD = 2 ** 31 - 1;

/** The positions after one that may be replaced, and the newest message among them. */
async function findRange(
  db: Queryable,
  { conversationId, after }: { readonly conversationId: number; readonly after: number },
): Promise<{ ranks: { fromRank: number; toRank: number }; answerId: string }> {
  const { rows, openRank } = await readPlanned(db, { conversationId, after });
  // What is attached to a question that is still open, or comes next, stays with it.
  const last = rows.findLast(
    ({ rank, type }) => type !== "content_fragment" && rank < (openRank ?? Infinity),
  );
  if (last === undefined) {
    const why = "nothing was said since the newest summary, or all of it is still being answered";
    throw new ParleyError("invalid_request_error", `Invalid path parameters: cId: ${why}`);
  }
  const [newest] = await db
    .select({ sid: messages.sid })
    .from(messages)
    .where(and(eq(messages.conversationId, conversationId), eq(messages.rank, last.rank)))
    .orderBy(desc(messages.version))
    .limit(1);
  return { ranks: { fromRank: after + 1, toRank: last.rank }, answerId: newest?.sid ?? "" };
}

/** A summary of the caller's, once it has ended if the caller waits for that. */
async function readCreated(
  context: Context,
  sid: string,
  blocking = false,
): Promise<HistorySummary> {
  if (blocking) {
    const { blockingTimeoutMs: timeoutMs, signal } = context;
    using pending = listenForEnds(context, { logIds: [sid], timeoutMs, signal });
    await pending.ends;
  }
  const [found] = await context.database.db
    .select({ summary: conversationSummaries })
    .from(conversationSummaries)
    .innerJoin(conversations, eq(conversations.id, conversationSummaries.conversationId))
    .where(and(eq(conversationSummaries.sid, sid), reachesConversation(context)));
  if (found === undefined) throw unknownConversation();
  return renderSummary(found.summary, null);
}
