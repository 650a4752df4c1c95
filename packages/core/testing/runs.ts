import { invocations, messages, runs, type StoredStep } from "@parley/db";
import { eq, sql } from "drizzle-orm";
import type { Process } from "../src/context.ts";
import type { RunRow } from "../src/data-access/rows.ts";
import type { Core } from "../src/create-core.ts";
import { claimInvocations } from "../src/invocations/claim-invocations.ts";
import { type ClaimedRun, type ClaimOptions, MAX_CLAIMED } from "../src/runs/claim-parts.ts";
import { claimTurns } from "../src/turns/claim-turns.ts";

/** Deletes the subjects of runs, but not the runs. */
export async function orphanTestRuns({ database }: Core): Promise<void> {
  await database.db.execute(sql`
    with deleted_messages as (delete from messages) update invocations set function_id = 0`);
}

/** How many runs and invocations there are. */
export async function countTestRuns({ database }: Core): Promise<number> {
  return (await database.db.$count(runs)) + (await database.db.$count(invocations));
}

/** All runs, in the order of their creation. */
export async function readTestRuns({ database }: Core): Promise<RunRow[]> {
  return database.db.select().from(runs).orderBy(runs.id);
}

/** Claims runs of both kinds for a worker that holds none. */
export async function claimRuns(core: Process, options: ClaimOptions): Promise<ClaimedRun[]> {
  const turns = await claimTurns(core, {
    ...options,
    after: 0,
    held: new Map(),
    perWorkspace: MAX_CLAIMED,
  });
  const invoked = await claimInvocations(core, { ...options, after: 0, perWorkspace: 100 });
  return [...turns.runs, ...invoked.runs];
}

/** What the steps of an answer have stored. */
export async function readTestSteps({ database }: Core, sid: string): Promise<StoredStep[] | null> {
  const [row] = await database.db
    .select({ steps: messages.steps })
    .from(messages)
    .where(eq(messages.sid, sid));
  return row?.steps ?? null;
}

/** Ends an ended run once more, in a transaction that stays open: gives what commits it. */
export async function endTestRunLate({ database }: Core, logId: string) {
  const finishedAt = Date.now();
  const ofRun = eq(runs.logId, logId);
  await database.db.update(runs).set({ finishedAt: null }).where(ofRun);
  const written = Promise.withResolvers<void>();
  const mayCommit = Promise.withResolvers<void>();
  const committed = database.transaction(async (db) => {
    await db.update(runs).set({ finishedAt }).where(ofRun);
    written.resolve();
    await mayCommit.promise;
  });
  await written.promise;
  return async (): Promise<void> => {
    mayCommit.resolve();
    await committed;
  };
}
