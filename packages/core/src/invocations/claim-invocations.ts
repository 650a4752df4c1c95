import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { endedAttempt } from "../runs/attempt-history.ts";
import {
  type Claimed,
  claimedColumns,
  type ClaimedRun,
  type ClaimFrom,
  type ClaimOptions,
  claimParts,
  toClaimed,
} from "../runs/claim-parts.ts";
import { claimFromQueues } from "../runs/claim-queues.ts";
import {
  type ClaimedColumns,
  claimedInvocationColumns,
  type ClaimedInvocation,
  toInvocationRun,
} from "./load-invocation.ts";

/** Invocations that one takeover looks at; they do not count as running on the worker. */
const MAX_TAKEN_OVER = 100;
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;

const claimedInvocation = claimedColumns(claimedInvocationColumns);

// `running` waits for other claims of invocations to commit and then counts, so that concurrent claims
// exceed no limit. A run counts until it is ended, suspended or handed back, whether or not its lease
// has expired.
const claimInvocationsStatement = claimFromQueues<ClaimFrom & { now: number }, ClaimedColumns>(
  "claim_invocations",
  {
    kind: "invocation",
    queue: sql`runs.function_id`,
    running: sql`
      select workspace_id, function_id as queue_id, running
      from lock_running_invocations(array(select key from workspace_ids))`,
    most: {
      value: sql`coalesce(v.max_concurrent, 1)`,
      from: sql`
        left join sandbox_functions f on f.id = q.queue_id
        left join sandbox_function_versions v on v.function_id = f.id and v.version = f.version`,
    },
    subject: claimedInvocationColumns,
  },
);

/**
 * Claims waiting invocations within the limits of functions and of workspaces (`perWorkspace`), which
 * hold for all workers together; the workspace that has the fewest running comes first.
 */
export async function claimInvocations(
  core: Process,
  options: ClaimFrom,
): Promise<Claimed<ClaimedInvocation>> {
  const values = { ...options, now: core.now() };
  const claimed = toClaimed(await claimInvocationsStatement.execute(core.database.db, values));
  return { ...claimed, runs: claimed.runs.map(toInvocationRun) };
}

// What may be run again is suspended first, with jitter, so that what broke a worker does not break the
// next ones at once. Suspension keeps the fence: until another attempt begins, the previous one may
// still end the invocation.
const takeOverStatement = statement<
  ClaimOptions & { random: number; now: number },
  ClaimedRun<ClaimedColumns>
>(
  "take_over_invocations",
  sql`
  with expired as (
    select r.log_id, logs.closed_at, r.attempt - r.spared_attempts < r.max_attempts as again,
      least(${sql.raw(String(MAX_BACKOFF_MS))}, ${sql.raw(String(FIRST_BACKOFF_MS))} * 2 ^ (r.attempt - 1))
        as backoff_ms
    from runs r join logs on logs.id = r.log_id
    where r.status = 'running' and r.kind = 'invocation' and r.lease_until < now()
    order by r.lease_until
    limit ${sql.placeholder("limit")}::int
    for update of r, logs skip locked
  ),
  suspended as (
    update runs set status = 'suspended', worker_id = null, lease_until = null,
      attempts = ${endedAttempt("lost", sql`least(runs.lease_until, now())`)},
      run_after = now() + interval '1 millisecond' * spread.backoff_ms * (
        0.5 + 0.5 * mod((${sql.placeholder("random")}::float + spread.place * 0.618)::numeric, 1)::float
      )
    from (
      select log_id, backoff_ms, row_number() over () as place from expired
      where again and closed_at is null
    ) spread
    where runs.log_id = spread.log_id
  ),
  due as (select log_id, closed_at from expired where not again or closed_at is not null),
  ${claimParts}
  select ${claimedInvocation} from claimed
  where claimed.status = 'running'
  order by claimed.priority, claimed.id`,
);

/**
 * Takes over invocations whose worker has not renewed its lease, and gives those that have had all
 * their attempts, to be ended. The others are suspended until their next attempt, with exponential
 * backoff from a second to half a minute.
 */
export async function takeOverInvocations(
  { database, random, now }: Pick<Process, "database" | "random" | "now">,
  options: ClaimOptions,
): Promise<ClaimedRun<ClaimedInvocation>[]> {
  const values = { ...options, limit: MAX_TAKEN_OVER, random: random(), now: now() };
  return (await takeOverStatement.execute(database.db, values)).map(toInvocationRun);
}
