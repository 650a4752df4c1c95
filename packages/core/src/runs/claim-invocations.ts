import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { claimedInvocation, claimParts, limited } from "./claimed-run.ts";
import type { ClaimedRow, ClaimValues } from "./claimed-run.ts";
import { distinctKeys } from "./distinct-keys.ts";

/** Workspaces that one claim looks at, and functions of each. */
const MAX_WORKSPACES = 64;
const MAX_FUNCTIONS = 200;

interface Values extends ClaimValues {
  /** Invocations of a workspace that may run at once. */
  perWorkspace: number;
}

const ofInvocations = sql`runs.status = 'waiting' and runs.kind = 'invocation'`;
const limit = sql`${sql.placeholder("limit")}::int`;

// `running` waits for other claims of invocations to commit and then counts, so that however many
// workers claim at once, no limit is passed. What runs counts until it is ended, parked or handed
// back, whether or not its lease has expired. A function at its limit is passed over at once: the
// queues are those of functions, and nothing behind a queue's free places is read. Among workspaces,
// the one that has the fewest running comes first.
export const claimInvocationsStatement = statement<Values, ClaimedRow>(
  "claim_invocations",
  sql`
  with recursive ${distinctKeys({
    name: "workspace_ids",
    column: sql`runs.workspace_id`,
    where: ofInvocations,
    after: sql`${sql.placeholder("after")}::bigint`,
    max: MAX_WORKSPACES,
  })},
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
    (select case when count(*) < ${sql.raw(String(MAX_WORKSPACES))} then 0 else max(key) end
      from workspace_ids) as after
  ) looked
  left join claimed on claimed.status = 'running'
  order by claimed.priority, claimed.id`,
);
