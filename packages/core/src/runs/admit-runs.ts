/**
 * Bounds the runs of a workspace that wait. The bound costs the requests no statement: each process
 * counts what it lets in itself, and looks about every second at what really waits. So the processes
 * of a server may together let in more than the bound: what they write within that second.
 */
import { type Queryable, statement } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { sql } from "drizzle-orm";
import type { RunRow } from "../rows.ts";
import { createSharedReads } from "../shared-reads.ts";

export type RunKind = RunRow["kind"];

/** Lets new runs of a workspace in. Throws `rate_limit_error` where too many of their kind wait. */
export type AdmitRuns = (workspaceId: number, kind: RunKind, count: number) => Promise<void>;

/** How old a count may be before it is read again: as long as there is room, and when there is none. */
const REREAD_MS = { room: 1000, full: 100 };
const RETRY_AFTER_SECONDS = 2;
/** Workspaces that are remembered, and those that are counted in one statement. */
const MAX_REMEMBERED = 10_000;
const MAX_TOGETHER = 64;

interface Counted {
  readonly workspaceId: number;
  readonly turns: number;
  readonly invocations: number;
}

const limited = sql`limit ${sql.placeholder("limit")}`;
const countStatement = statement<{ workspaceIds: string; limit: number }, Counted>(
  "count_waiting_runs",
  sql`
  select w.id as "workspaceId",
    (select count(*)::int from (
      (select 1 from runs where workspace_id = w.id and status = 'waiting' and kind = 'agent_turn' ${limited})
      union all (select 1 from runs where workspace_id = w.id and status = 'queued' ${limited})
    ) turn) as turns,
    (select count(*)::int from (
      select 1 from runs where workspace_id = w.id and status = 'waiting' and kind = 'invocation' ${limited}
    ) invocation) as invocations
  from (
    select value::bigint as id from json_array_elements_text(${sql.placeholder("workspaceIds")}::json)
  ) w`,
);

type Counts = Record<RunKind, number>;

/** What a process knows of the runs of a workspace that wait. */
interface Waiting {
  counts: Counts;
  /** What was let in since the read that is under way began: it may have missed it. */
  since: Counts;
  isKnown: boolean;
  readAt: number;
  reading: Promise<void> | undefined;
}

const none = (): Counts => ({ agent_turn: 0, invocation: 0 });

export interface AdmitRunsOptions {
  /** Runs of a workspace and a kind that may wait; 0 for any number. */
  readonly limit: number;
  /** Told of what is refused. */
  readonly onRefused: (kind: RunKind) => void;
}

/** Makes what lets in runs, as many as may wait. */
export function createAdmitRuns(db: Queryable, { limit, onRefused }: AdmitRunsOptions): AdmitRuns {
  const remembered = new Map<number, Waiting>();
  const count = createSharedReads<number, Counts>(async (ids) => {
    const values = { workspaceIds: JSON.stringify(ids), limit };
    const rows = await countStatement.execute(db, values);
    const found = new Map(rows.map((row) => [row.workspaceId, row]));
    return (id) => {
      const { turns = 0, invocations = 0 } = found.get(id) ?? {};
      return { agent_turn: turns, invocation: invocations };
    };
  }, MAX_TOGETHER);

  const reread = async (workspaceId: number, waiting: Waiting): Promise<void> => {
    waiting.since = none();
    try {
      const counted = await count(workspaceId);
      waiting.counts = {
        agent_turn: counted.agent_turn + waiting.since.agent_turn,
        invocation: counted.invocation + waiting.since.invocation,
      };
      waiting.isKnown = true;
    } finally {
      waiting.readAt = performance.now();
      waiting.reading = undefined;
    }
  };

  const recall = (workspaceId: number): Waiting => {
    const waiting = remembered.get(workspaceId) ?? {
      counts: none(),
      since: none(),
      isKnown: false,
      readAt: -Infinity,
      reading: undefined,
    };
    // The last that were asked for stay.
    remembered.delete(workspaceId);
    remembered.set(workspaceId, waiting);
    const [oldest] = remembered.keys();
    if (remembered.size > MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return waiting;
  };

  return async (workspaceId, kind, added) => {
    if (limit === 0 || added === 0) return;
    const waiting = recall(workspaceId);
    const isFull = () => waiting.counts[kind] + added > limit;
    const age = performance.now() - waiting.readAt;
    if (waiting.reading === undefined && age >= (isFull() ? REREAD_MS.full : REREAD_MS.room)) {
      waiting.reading = reread(workspaceId, waiting);
      // Who does not wait for it goes by what was known before.
      waiting.reading.catch(() => {});
    }
    if (!waiting.isKnown || isFull()) await waiting.reading;
    if (isFull()) {
      onRefused(kind);
      throw tooMany(kind, limit);
    }
    waiting.counts[kind] += added;
    waiting.since[kind] += added;
  };
}

function tooMany(kind: RunKind, limit: number): ParleyError {
  const what = kind === "agent_turn" ? "agent turns" : "invocations";
  const message = `Too many ${what} of the workspace wait, of ${limit} that may: try again later`;
  return new ParleyError("rate_limit_error", message, { retryAfterSeconds: RETRY_AFTER_SECONDS });
}
