import { conversationSummaries, users } from "@parley/db";
import {
  type HistorySummary,
  type SummaryPage,
  type ListSummaries,
  ParleyError,
  type UpdateSummary,
} from "@parley/schema";
import { and, desc, eq } from "drizzle-orm";
import { lockConversation, requireConversation } from "../access/conversation-reach.ts";
import type { Context } from "../context.ts";
import { isOlder, takePage } from "../data-access/pages.ts";
import type { SummaryRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { findActiveSummary, heldUntil, tokensOfSteps } from "./save-summary.ts";

/** Lists the summaries of a conversation, the newest first, a page at a time. */
export async function listSummaries(
  context: Context,
  { cId, limit, lastValue }: ListSummaries & { cId: string },
): Promise<SummaryPage> {
  const { db } = context.database;
  const { id } = await requireConversation(db, context, cId);
  const { conversationId, number } = conversationSummaries;
  const rows = await db
    .select({ summary: conversationSummaries, undoneBy: users.sid })
    .from(conversationSummaries)
    .leftJoin(users, eq(users.id, conversationSummaries.undoneBy))
    .where(and(eq(conversationId, id), isOlder(number, lastValue)))
    .orderBy(desc(number))
    .limit(limit + 1);
  const { page, end } = takePage(rows, { limit }, ({ summary }) => String(summary.number));
  return {
    summaries: page.map(({ summary, undoneBy }) => renderSummary(summary, undoneBy)),
    ...end,
  };
}

/**
 * Undoes the newest active summary, so that prompts have the messages again, or makes an undone one active. Changes
 * nothing if it is so already. Throws `summary_not_found`; and `invalid_request_error` if a later one contains it or has
 * taken its place, if it is neither active nor undone, or if messages that it replaces have changed.
 */
export async function updateSummary(
  context: Context,
  { cId, number, active }: UpdateSummary & { cId: string; number: number },
): Promise<HistorySummary> {
  return inTransaction(context, async ({ db }) => {
    const conversation = await lockConversation(db, context, cId);
    const row = await requireSummary(db, conversation.id, number);
    const { sid: caller, id: callerId } = context.caller.user;
    const wanted = active ? ("active" as const) : ("undone" as const);
    if (row.status === wanted) return renderSummary(row, active ? null : caller);
    if (row.status !== "active" && row.status !== "undone") {
      throw refused(`summary ${number} is ${row.status}`);
    }
    const newest = await findActiveSummary(db, conversation.id);
    if (newest !== undefined && newest.number > number) {
      throw refused(
        active
          ? `summary ${newest.number} has taken its place`
          : `undo summary ${newest.number} first, which contains it`,
      );
    }
    if (active && row.undoneBy === null) {
      throw refused("messages that it replaces have been changed");
    }
    const changes = {
      status: wanted,
      undoneAt: active ? null : context.now(),
      undoneBy: active ? null : callerId,
      heldUntilRank: active ? null : await heldUntil(db, conversation.id, "undone"),
    };
    const ofRow = eq(conversationSummaries.id, row.id);
    await db.update(conversationSummaries).set(changes).where(ofRow);
    return renderSummary({ ...row, ...changes }, active ? null : caller);
  });
}

const refused = (why: string): ParleyError =>
  new ParleyError("invalid_request_error", `Invalid path parameters: number: ${why}`);

async function requireSummary(
  db: Context["database"]["db"],
  conversationId: number,
  number: number,
): Promise<SummaryRow> {
  const [row] = await db
    .select()
    .from(conversationSummaries)
    .where(
      and(
        eq(conversationSummaries.conversationId, conversationId),
        eq(conversationSummaries.number, number),
      ),
    );
  if (row !== undefined) return row;
  throw new ParleyError("summary_not_found", "The conversation has no such summary");
}

/** A summary as the wire shows it. */
export function renderSummary(row: SummaryRow, undoneBy: string | null): HistorySummary {
  return {
    number: row.number,
    runId: row.sid,
    status: row.status,
    fromRank: row.fromRank,
    toRank: row.toRank,
    containsNumber: row.containsNumber,
    text: row.text,
    carried: row.text === null ? [] : (row.carried ?? []),
    model: { providerId: row.providerId, modelId: row.modelId },
    inputTokens: tokensOfSteps(row, "inputTokens"),
    outputTokens: tokensOfSteps(row, "outputTokens"),
    cachedInputTokens: tokensOfSteps(row, "cachedInputTokens"),
    cacheWriteTokens: tokensOfSteps(row, "cacheWriteTokens"),
    reasoningTokens: tokensOfSteps(row, "reasoningTokens"),
    error: row.error,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
    undoneAt: row.undoneAt,
    undoneBy,
  };
}
