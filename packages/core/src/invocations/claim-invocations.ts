import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import {
  type Claimed,
  claimedColumns,
  type ClaimedRow,
  type ClaimedRun,
  type ClaimFrom,
  type ClaimOptions,
  claimParts,
  lastWorkspace,
  limited,
  nextWorkspaces,
  toClaimed,
} from "../runs/claim-parts.ts";
import { distinctKeys } from "../runs/distinct-keys.ts";
import {
  type ClaimedColumns,
  claimedInvocationColumns,
  type ClaimedInvocation,
  toInvocationRun,
} from "./load-invocation.ts";

/** Functions that one claim looks at, of each workspace. */
const MAX_FUNCTIONS = 200;
/** Invocations that one takeover looks at; they do not count as running on the worker. */
const MAX_TAKEN_OVER = 100;
const FIRST_BACKOFF_MS = 1000;
const MAX_BACKOFF_MS = 30_000;

const claimedInvocation = claimedColumns(claimedInvocationColumns);

const ofInvocations = sql`runs.status = 'waiting' and runs.kind = 'invocation'`;
const limit = sql`${sql.placeholder("limit")}::int`;

// `running` waits for other claims of invocations to commit and then counts, so that concurrent claims
// exceed no limit. A run counts until it is ended, suspended or handed back, whether or not its lease
// has expired. A function at its limit is skipped at once: each function has its queue, of which no more
// is read than may run. The workspace that has the fewest running comes first.
const claimInvocationsStatement = statement<
  ClaimFrom & { now: number },
  ClaimedRow<ClaimedColumns>
>(
  "claim_invocations",
  sql`
  with recursive ${nextWorkspaces(ofInvocations)},
  queues as (
    select w.key as workspace_id, f.key as function_id from workspace_ids w, lateral (
      with recursive ${distinctKeys({
        name: "function_ids",
        column: sql`runs.function_id`,
        where: sql`${ofInvocations} and runs.workspace_id = w.key`,
        after: sql`0`,
        max: MAX_FUNCTIONS,
      })} select key from function_ids
    ) f
  ),
  running as materialized (
    select * from lock_running_invocations(array(select key from workspace_ids))
  ),
  held as (select workspace_id, sum(running)::int as held from running group by workspace_id),
  room as (
    select q.workspace_id, q.function_id, coalesce(held.held, 0) as held,
      ${sql.placeholder("perWorkspace")}::int - coalesce(held.held, 0) as of_workspace,
      coalesce(v.max_concurrent, 1) - coalesce(running.running, 0) as of_function
    from queues q
    left join sandbox_functions f on f.id = q.function_id
    left join sandbox_function_versions v on v.function_id = f.id and v.version = f.version
    left join running on running.function_id = q.function_id
    left join held on held.workspace_id = q.workspace_id
  ),
  peeked as (
    select r.*, p.id,
      row_number() over (partition by r.workspace_id order by p.priority, p.id) as place
    from room r, lateral (${limited(
      sql`
      select priority, id from runs
      where ${ofInvocations} and workspace_id = r.workspace_id and function_id = r.function_id
        and run_after <= now()
      order by priority, id`,
      sql`greatest(0, least(r.of_function, r.of_workspace, ${limit}))`,
    )}) p
  ),
  quotas as (
    select workspace_id, function_id, count(*) as quota
    from (${limited(
      sql`
      select workspace_id, function_id from peeked
      where place <= of_workspace order by held + place, id`,
      limit,
    )}) chosen
    group by workspace_id, function_id
  ),
  due as (
    select d.* from quotas q, lateral (${limited(
      sql`
      select runs.log_id, logs.closed_at from runs join logs on logs.id = runs.log_id
      where ${ofInvocations} and runs.workspace_id = q.workspace_id
        and runs.function_id = q.function_id and runs.run_after <= now()
      order by runs.priority, runs.id`,
      sql`q.quota`,
      sql`for update of runs, logs skip locked`,
    )}) d
  ),
  ${claimParts}
  select ${claimedInvocation}, looked.*
  from (
    select exists (
      select 1 from room r left join quotas q on q.function_id = r.function_id
      where coalesce(q.quota, 0) >= least(r.of_function, r.of_workspace, ${limit})
        or (select count(*) from claimed) >= ${limit}
    ) as more,
    ${lastWorkspace} as after
  ) looked
  left join claimed on claimed.status = 'running'
  order by claimed.priority, claimed.id`,
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
