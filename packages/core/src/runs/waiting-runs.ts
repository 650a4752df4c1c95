import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { type RunKind, runKinds } from "./run-kinds.ts";

/** Waiting runs of one kind. */
export interface WaitingRuns {
  readonly kind: RunKind;
  /** Whether they wait for a worker, or for an earlier run of their ordering key. */
  readonly state: "waiting" | "queued";
  readonly count: number;
  /** When the oldest of them was created, in milliseconds since the epoch. */
  readonly oldestAt: number;
}

/** The states in which runs of each kind wait. */
export const waitingStates: readonly Pick<WaitingRuns, "kind" | "state">[] = runKinds.flatMap(
  ({ kind, isOrdered }) =>
    isOrdered
      ? [
          { kind, state: "waiting" },
          { kind, state: "queued" },
        ]
      : [{ kind, state: "waiting" }],
);

/** Runs that are looked at, of each part. */
const MAX_COUNTED = 10_000;

// Each part has an index of its own, which holds nothing else; the limit bounds what is read.
const next = (where: SQL) => sql`
  (select kind, status, created_at from runs where ${where} limit ${sql.raw(String(MAX_COUNTED))})`;

const waitingOfEach = runKinds.map(({ literal }) => sql`status = 'waiting' and kind = ${literal}`);
const parts = [...waitingOfEach, sql`status = 'queued'`];

const waitingStatement = statement<Record<string, never>, WaitingRuns>(
  "read_waiting_runs",
  sql`
  select kind, status as state, count(*)::int as count, min(created_at)::float8 as "oldestAt" from (
    ${sql.join(parts.map(next), sql` union all `)}
  ) next group by kind, status`,
);

/** Counts the waiting runs by kind and state, without those of which there are none. */
export async function readWaitingRuns({ database }: Process): Promise<WaitingRuns[]> {
  return waitingStatement.execute(database.db, {});
}

const kindsStatement = statement<Record<string, never>, Pick<WaitingRuns, "kind">>(
  "read_waiting_kinds",
  sql.join(
    waitingOfEach.map((where) => sql`(select kind from runs where ${where} limit 1)`),
    sql` union all `,
  ),
);

/** The kinds of which runs wait, if only for their time. */
export async function readWaitingKinds({
  database,
}: Pick<Process, "database">): Promise<RunKind[]> {
  const rows = await kindsStatement.execute(database.db, {});
  return rows.map(({ kind }) => kind);
}
