/**
 * Bounds the waiting runs of a workspace at no statement per request: each process counts what it
 * reserves, and reads about every second how many really wait. So the processes of a server may together
 * exceed the bound by what they write within that second.
 */
import { type Queryable, statement } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { createCoalescedReads } from "../data-access/coalesced-reads.ts";
import { hasBudget } from "../data-access/has-budget.ts";
import type { LocalWorkers } from "./local-workers.ts";
import { pluralOf, type RunKind, runKinds } from "./run-kinds.ts";

/** What is known of a workspace beside its waiting runs. */
interface Limits {
  /** Whether a limit of processor time applies in it. */
  readonly limitsProcessor: boolean;
}

/** Reserves capacity for new runs of a workspace. Throws `rate_limit_error` if too many of the kind wait. */
export type ReserveRunCapacity = (
  workspaceId: number,
  kind: RunKind,
  count: number,
) => Promise<Limits>;

export interface RunServices {
  /** To be called before anything is written. */
  readonly reserveRunCapacity: ReserveRunCapacity;
  readonly localWorkers: LocalWorkers;
}

/** How old a count may be: while there is room, and when there is none. */
const REREAD_MS = { room: 1000, full: 100 };
const RETRY_AFTER_SECONDS = 2;
/** Workspaces whose counts are cached, and those that one statement counts. */
const MAX_WORKSPACES = 10_000;
const MAX_TOGETHER = 64;

type Counts = Record<RunKind, number>;

const limited = sql`limit ${sql.placeholder("limit")}`;
const countsOfKinds = runKinds.map(({ kind, literal, isOrdered }) => {
  const queued = sql`
    union all (select 1 from runs where workspace_id = w.id and status = 'queued' and kind = ${literal} ${limited})`;
  return sql`
    (select count(*)::int from (
      (select 1 from runs
        where workspace_id = w.id and status = 'waiting' and kind = ${literal} ${limited})
      ${isOrdered ? queued : sql``}
    ) one) as ${sql.raw(kind)}`;
});
const countStatement = statement<
  { workspaceIds: string; limit: number },
  Counts & Limits & { readonly workspaceId: number }
>(
  "count_waiting_runs",
  sql`
  select w.id as "workspaceId", ${sql.join(countsOfKinds, sql`, `)},
    ${hasBudget(sql`w.id`, "processor_seconds")} as "limitsProcessor"
  from (
    select value::bigint as id from json_array_elements_text(${sql.placeholder("workspaceIds")}::json)
  ) w`,
);

/** What a process knows about the waiting runs of a workspace. */
interface Waiting {
  counts: Counts & Limits;
  /** What was reserved since the current read began, which may have missed it. */
  since: Counts;
  isKnown: boolean;
  readAt: number;
  reading: Promise<void> | undefined;
}

// The table of kinds has each of them.
const none = () => Object.fromEntries(runKinds.map(({ kind }) => [kind, 0])) as Counts;

/** Creates the capacity of a process: `limit` waiting runs of a workspace and a kind, 0 for any number. */
export function createRunCapacity(
  db: Queryable,
  { limit, onRefused }: { readonly limit: number; readonly onRefused: (kind: RunKind) => void },
): ReserveRunCapacity {
  const workspaces = new LRUCache<number, Waiting>({
    max: MAX_WORKSPACES,
    memoMethod: () => ({
      counts: { ...none(), limitsProcessor: false },
      since: none(),
      isKnown: false,
      readAt: -Infinity,
      reading: undefined,
    }),
  });
  const count = createCoalescedReads<number, Counts & Limits>(async (ids) => {
    const values = { workspaceIds: JSON.stringify(ids), limit };
    const rows = await countStatement.execute(db, values);
    const found = new Map(rows.map((row) => [row.workspaceId, row]));
    return (id) => found.get(id) ?? { ...none(), limitsProcessor: false };
  }, MAX_TOGETHER);

  const reread = async (workspaceId: number, waiting: Waiting): Promise<void> => {
    waiting.since = none();
    try {
      const counted = await count(workspaceId);
      waiting.counts = counted;
      for (const { kind } of runKinds) counted[kind] += waiting.since[kind];
      waiting.isKnown = true;
    } finally {
      waiting.readAt = performance.now();
      waiting.reading = undefined;
    }
  };

  return async (workspaceId, kind, added) => {
    if (added === 0) return { limitsProcessor: false };
    const waiting = workspaces.memo(workspaceId);
    const isFull = () => limit > 0 && waiting.counts[kind] + added > limit;
    const age = performance.now() - waiting.readAt;
    if (waiting.reading === undefined && age >= (isFull() ? REREAD_MS.full : REREAD_MS.room)) {
      waiting.reading = reread(workspaceId, waiting);
      // Callers that do not wait for it use the previous counts.
      waiting.reading.catch(() => {});
    }
    if (!waiting.isKnown || isFull()) await waiting.reading;
    if (isFull()) {
      onRefused(kind);
      throw tooMany(kind, limit);
    }
    waiting.counts[kind] += added;
    waiting.since[kind] += added;
    return waiting.counts;
  };
}

function tooMany(kind: RunKind, limit: number): ParleyError {
  const message = `Too many queued ${pluralOf(kind)} in the workspace (at most ${limit}): try again later`;
  return new ParleyError("rate_limit_error", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
