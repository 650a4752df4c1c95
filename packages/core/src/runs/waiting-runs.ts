import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Core } from "../context.ts";
import type { RunRow } from "../rows.ts";

/** Runs of one kind that wait. */
export interface WaitingRuns {
  readonly kind: RunRow["kind"];
  /** Whether they wait for a worker, or for an earlier run of their lane. */
  readonly state: "waiting" | "queued";
  readonly count: number;
  /** When the oldest of them was made, in milliseconds since the epoch. */
  readonly oldestAt: number;
}

/** Of more runs, no more than these are looked at. */
const MAX_COUNTED = 10_000;

// Each part has an index of its own, which holds nothing else; the limit bounds what is read.
const next = (where: SQL) => sql`
  (select kind, status, created_at from runs where ${where} limit ${sql.raw(String(MAX_COUNTED))})`;

const waitingStatement = statement<Record<string, never>, WaitingRuns>(
  "read_waiting_runs",
  sql`
  select kind, status as state, count(*)::int as count, min(created_at)::float8 as "oldestAt" from (
    ${next(sql`status = 'waiting' and kind = 'agent_turn'`)}
    union all ${next(sql`status = 'waiting' and kind = 'invocation'`)}
    union all ${next(sql`status = 'queued'`)}
  ) next group by kind, status`,
);

/** Counts the runs that wait, by kind and what they wait for; what there is none of is left out. */
export async function readWaitingRuns({ database }: Core): Promise<WaitingRuns[]> {
  return waitingStatement.execute(database.db, {});
}
