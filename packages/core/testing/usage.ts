import { usageEntries, usageReservations } from "@parley/db";
import { and, eq } from "drizzle-orm";
import type { CoreContext } from "../src/create-core.ts";
import { type BilledCall, toLostEntry, writeUsage } from "../src/usage/usage-ledger.ts";

let calls = 0;

/** A call of a model by the key of a context, as the ledger has it; `changes` replace its members. */
export function testCall(
  { caller, now }: CoreContext,
  changes: Partial<BilledCall> = {},
): BilledCall {
  return {
    workspaceId: caller.workspace.id,
    origin: "answer",
    logId: `call of ${caller.workspace.sid}`,
    attempt: 1,
    call: calls++,
    step: 0,
    conversationId: 1,
    spaceId: null,
    apiKeyId: caller.apiKey.id,
    userId: null,
    agentId: "ann",
    providerId: "openai",
    modelId: "gpt-5",
    currency: "USD",
    at: now(),
    inputTokens: 100,
    outputTokens: 10,
    amount: 1_000_000_000n,
    isEstimated: false,
    reservationId: null,
    ...changes,
  };
}

/** Writes calls to the ledger, each with changes of its own. */
export async function writeTestUsage(
  context: CoreContext,
  ...changes: readonly Partial<BilledCall>[]
): Promise<void> {
  const billed = changes.map((one) => testCall(context, one));
  await writeUsage(context.database.db, billed);
}

/** Reserves what a call may cost, as a worker that is gone did a minute ago. */
export async function loseTestCall(
  { database }: CoreContext,
  call: BilledCall & { amount: bigint },
): Promise<void> {
  const { workspaceId, logId, attempt, amount, at } = call;
  await database.db.insert(usageReservations).values({
    id: `${logId} ${call.call}`,
    workspaceId,
    logId,
    attempt,
    amount,
    createdAt: at - 60_000,
    entry: toLostEntry(call, at),
  });
}

/** Counts the entries of the workspace that are, or are not, in the sums. */
export async function countTestUsage(
  { database, caller }: CoreContext,
  isSummed: boolean,
): Promise<number> {
  const ofWorkspace = eq(usageEntries.workspaceId, caller.workspace.id);
  return database.db.$count(usageEntries, and(ofWorkspace, eq(usageEntries.isSummed, isSummed)));
}
