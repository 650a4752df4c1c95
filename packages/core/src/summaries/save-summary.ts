import {
  type CarriedItem,
  conversations,
  conversationSummaries,
  logs,
  messages,
  type Queryable,
  runs,
  statement,
  type StoredStep,
  type SummaryProgress,
} from "@parley/db";
import type { ConversationEvent, TokenCounts } from "@parley/schema";
import { and, desc, eq, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { SummaryRow } from "../data-access/rows.ts";
import { appendEvents } from "../log/append.ts";
import { goneHints } from "../log/bus.ts";
import { fenceLogs, lockLogs } from "../log/lock-logs.ts";
import { inTransaction, type Transaction } from "../log/transaction.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";
import { type HeldLog, lostLease } from "../runs/leases.ts";
import type { StorageServices } from "../storage/storage-meter.ts";
import { type BilledCall, toUsage, usageParts, writeUsage } from "../usage/usage-ledger.ts";
import type { Compaction } from "./claim-compactions.ts";

/** Positions after which one is started again: after a failure, and after a person has undone one. */
const HELD_POSITIONS = { failed: 10, undone: 40 };

/** The active summary of a conversation that replaces the most. */
export async function findActiveSummary(
  db: Queryable,
  conversationId: number,
): Promise<SummaryRow | undefined> {
  const [row] = await db
    .select()
    .from(conversationSummaries)
    .where(
      and(
        eq(conversationSummaries.conversationId, conversationId),
        eq(conversationSummaries.status, "active"),
      ),
    )
    .orderBy(desc(conversationSummaries.toRank))
    .limit(1);
  return row;
}

/** The position before which no summary is started. */
export async function heldUntil(
  db: Queryable,
  conversationId: number,
  why: keyof typeof HELD_POSITIONS,
): Promise<number> {
  const [last] = await db
    .select({ rank: sql<number>`coalesce(max(${messages.rank}), 0)`.mapWith(Number) })
    .from(messages)
    .where(eq(messages.conversationId, conversationId));
  return (last?.rank ?? 0) + HELD_POSITIONS[why];
}

/** What an attempt has done so far. */
export interface SavedSummary {
  readonly fromRank: number;
  readonly toRank: number;
  readonly contains: SummaryRow | undefined;
  readonly progress: SummaryProgress;
  readonly carried: readonly CarriedItem[];
  readonly steps: readonly StoredStep[];
}

const saveStatement = statement<
  { logId: string; attempt: number; saved: string; usage: string },
  { status: string }
>(
  "save_summary",
  sql`
  with held as (
    select id from logs where id = ${sql.placeholder("logId")} and closed_at is null
      and fence = ${sql.placeholder("attempt")}::int
  ),
  ${usageParts(sql`select id from held`)}
  update conversation_summaries s set
    from_rank = g.from_rank, to_rank = g.to_rank, contains_number = g.contains_number,
    contains_to_rank = g.contains_to_rank, progress = g.progress, carried = g.carried, steps = g.steps
  from json_populate_record(null::conversation_summaries, ${sql.placeholder("saved")}::json) g
  where s.sid = ${sql.placeholder("logId")} and s.status = 'pending' and exists (select from held)
  returning s.status`,
);

/**
 * Saves how far a summary has come, so that another attempt continues there; false if it has ended, as the messages
 * that it replaces have changed. Throws `LostLease`.
 */
export async function saveSummary(
  core: Process,
  run: HeldLog,
  { contains, progress, ...saved }: SavedSummary,
  usage: readonly BilledCall[] = [],
): Promise<boolean> {
  const { db } = core.database;
  const columns = {
    from_rank: saved.fromRank,
    to_rank: saved.toRank,
    contains_number: contains?.number,
    contains_to_rank: contains?.toRank,
    carried: saved.carried,
    steps: saved.steps,
    progress,
  };
  const { logId, attempt } = run;
  const values = { logId, attempt, saved: JSON.stringify(columns), usage: toUsage(usage) };
  const rows = await saveStatement.execute(db, values);
  if (rows.length > 0) return true;
  const [row] = await db
    .select({ fence: logs.fence, closedAt: logs.closedAt })
    .from(logs)
    .where(eq(logs.id, logId));
  if (row?.closedAt !== null || row.fence !== attempt) throw lostLease(run);
  return false;
}

/** The outcome of a compaction. */
export interface FinishedCompaction {
  readonly run: ClaimedRun;
  readonly compaction: Compaction;
  /** The text; or why there is none. */
  readonly outcome:
    | { readonly text: string; readonly carried: readonly CarriedItem[] }
    | { readonly code: string; readonly message: string };
  readonly steps: readonly StoredStep[];
  /** The calls of the model that were not written with its progress. */
  readonly usage?: readonly BilledCall[] | undefined;
}

const changed = {
  code: "conversation_changed",
  message: "Messages that it replaces, or an earlier summary, were changed in the meantime",
};

/**
 * Ends a compaction: the summary, the conversation's event and the run commit together. A run that an earlier call
 * has ended stays as it is. Gives the code of its failure, or `succeeded`. Throws `LostLease`.
 */
export async function finishCompaction(
  core: Process & StorageServices,
  { run, compaction, outcome, steps, usage }: FinishedCompaction,
): Promise<string> {
  const { summary, conversationSid } = compaction;
  return inTransaction(core, async ({ db, afterCommit }) => {
    const row = await lockSummary(db, { summary, conversationSid });
    const [log] = await db.select().from(logs).where(eq(logs.id, run.logId));
    if (row === undefined || log === undefined) throw lostLease(run);
    if (log.closedAt !== null && log.fence === run.attempt) return row.error?.code ?? "succeeded";
    if (log.closedAt !== null || log.fence !== run.attempt) throw lostLease(run);
    await writeUsage(db, usage ?? []);
    const now = core.now();
    const active = await findActiveSummary(db, row.conversationId);
    const isSame = row.status === "pending" && (active?.number ?? null) === row.containsNumber;
    const ended = "code" in outcome ? outcome : isSame ? outcome : changed;
    const error = row.error ?? ("code" in ended ? ended : null);
    const held = error && (await heldUntil(db, row.conversationId, "failed"));
    const changes = {
      ...("text" in ended && { text: ended.text, carried: [...ended.carried] }),
      status: error === null ? ("active" as const) : ("failed" as const),
      error,
      heldUntilRank: held,
      steps: [...steps],
      progress: null,
      finishedAt: now,
    };
    const after: SummaryRow = { ...row, ...changes };
    await db.update(conversationSummaries).set(changes).where(eq(conversationSummaries.id, row.id));
    await endRun(db, { row: after, outcome: error === null ? "succeeded" : "errored" });
    afterCommit.push({ topic: `log:${row.sid}`, lastSeq: 0, gone: true });
    if (error !== null) return error.code;
    const event = toEvent(after, conversationSid, now);
    await appendEvents(db, [{ logId: conversationSid, events: [event] }], afterCommit);
    // It is in the row and in the event.
    core.storage.add(row.workspaceId, 2 * Buffer.byteLength(after.text ?? ""));
    return "succeeded";
  });
}

/** The summary, with its logs and its conversation locked as all writers lock them; undefined if it is deleted. */
async function lockSummary(
  db: Queryable,
  { summary, conversationSid }: { summary: SummaryRow; conversationSid: string },
): Promise<SummaryRow | undefined> {
  await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.id, summary.conversationId))
    .for("update");
  await lockLogs(db, [conversationSid, summary.sid]);
  const [row] = await db
    .select()
    .from(conversationSummaries)
    .where(eq(conversationSummaries.sid, summary.sid));
  return row;
}

/** Closes the log of a summary's run, and ends the run. */
async function endRun(
  db: Queryable,
  { row, outcome }: { row: SummaryRow; outcome: "succeeded" | "errored" | "cancelled" },
): Promise<void> {
  await db
    .update(logs)
    .set({ closedAt: sql`now()` })
    .where(eq(logs.id, row.sid));
  await db
    .update(runs)
    .set({
      status: "finished",
      leaseUntil: null,
      finishedAt: row.finishedAt,
      outcome,
      inputTokens: tokensOfSteps(row, "inputTokens"),
      outputTokens: tokensOfSteps(row, "outputTokens"),
      cachedInputTokens: tokensOfSteps(row, "cachedInputTokens"),
      cacheWriteTokens: tokensOfSteps(row, "cacheWriteTokens"),
      reasoningTokens: tokensOfSteps(row, "reasoningTokens"),
    })
    .where(eq(runs.logId, row.sid));
}

/** Tokens of all calls of the model. */
export function tokensOfSteps(
  { steps }: Pick<SummaryRow, "steps">,
  member: keyof TokenCounts,
): number {
  return steps.reduce((sum, step) => sum + (step[member] ?? 0), 0);
}

function toEvent(row: SummaryRow, conversationId: string, created: number): ConversationEvent {
  return {
    type: "conversation_compacted",
    created,
    conversationId,
    number: row.number,
    fromRank: row.fromRank ?? 0,
    toRank: row.toRank ?? 0,
    containsNumber: row.containsNumber,
    model: { providerId: row.providerId, modelId: row.modelId },
    inputTokens: tokensOfSteps(row, "inputTokens"),
    outputTokens: tokensOfSteps(row, "outputTokens"),
    text: row.text ?? "",
  };
}

/** Cancels the open compaction of this run, in a transaction of the caller's; one that has ended stays. */
export async function cancelCompaction(
  core: Pick<Process, "now">,
  { db, afterCommit }: Transaction,
  sid: string,
): Promise<void> {
  const [found] = await db
    .select({ summary: conversationSummaries, conversationSid: conversations.sid })
    .from(conversationSummaries)
    .innerJoin(conversations, eq(conversations.id, conversationSummaries.conversationId))
    .where(eq(conversationSummaries.sid, sid));
  const row = found && (await lockSummary(db, found));
  if (row === undefined || !(await fenceLogs(db, [sid])).has(sid)) return;
  const heldUntilRank = await heldUntil(db, row.conversationId, "failed");
  const error = row.error ?? { code: "cancelled", message: "It was cancelled" };
  const ended = { status: "failed" as const, error, heldUntilRank, finishedAt: core.now() };
  await db
    .update(conversationSummaries)
    .set({ ...ended, progress: null })
    .where(eq(conversationSummaries.id, row.id));
  await endRun(db, { row: { ...row, ...ended }, outcome: "cancelled" });
  afterCommit.push(...goneHints([sid]));
}

const staleStatement = statement<{ conversationId: number; rank: number; now: number }>(
  "undo_stale_summaries",
  sql`
  update conversation_summaries set
    status = case status when 'active' then 'undone' else 'failed' end,
    undone_at = case status when 'active' then ${sql.placeholder("now")}::bigint end,
    error = case status when 'pending' then ${JSON.stringify(changed)}::jsonb end
  where conversation_id = ${sql.placeholder("conversationId")}::bigint and status in ('active', 'pending')
    and coalesce(to_rank, 2147483647) >= ${sql.placeholder("rank")}::int`,
);

/** Undoes the summaries that replace the message at a position, which is about to have a new version. */
export async function undoStaleSummaries(
  core: Pick<Process, "now">,
  db: Queryable,
  place: { readonly conversationId: number; readonly rank: number },
): Promise<void> {
  await staleStatement.execute(db, { ...place, now: core.now() });
}
