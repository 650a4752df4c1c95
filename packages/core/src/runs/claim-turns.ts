import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import { claimedTurn, claimParts, limited, turnOfClaimed } from "./claimed-run.ts";
import type { ClaimedRow, ClaimValues } from "./claimed-run.ts";
import { distinctKeys } from "./distinct-keys.ts";

/** Workspaces that one claim looks at. */
const MAX_WORKSPACES = 64;

interface Values extends ClaimValues {
  /** Turns of a workspace that the worker may hold. */
  perWorkspace: number;
  /** JSON of the turns that the worker holds of each workspace: `[{workspace_id, held}]`. */
  held: string;
}

const ofTurns = sql`runs.status = 'waiting' and runs.kind = 'agent_turn'`;
const perWorkspace = sql`${sql.placeholder("perWorkspace")}::int`;
const limit = sql`${sql.placeholder("limit")}::int`;

// The workspace of which the worker holds the fewest turns comes first: so the places are shared out
// evenly, however many turns each has waiting. `peeked` reads no more than could be claimed of each,
// and locks nothing; what another worker has claimed meanwhile is passed over for what comes behind.
// Run and log are locked without waiting: who ends a run locks its log first, and two orders of
// waiting would be a deadlock.
export const claimTurnsStatement = statement<Values, ClaimedRow>(
  "claim_turns",
  sql`
  with recursive ${distinctKeys({
    name: "workspace_ids",
    column: sql`runs.workspace_id`,
    where: ofTurns,
    after: sql`${sql.placeholder("after")}::bigint`,
    max: MAX_WORKSPACES,
  })},
  held as (
    select * from json_to_recordset(${sql.placeholder("held")}::json)
      as h(workspace_id bigint, held int)
  ),
  peeked as (
    select w.key, p.id, row_number() over (partition by w.key order by p.priority, p.id)
      + coalesce((select held.held from held where held.workspace_id = w.key), 0) as place
    from workspace_ids w, lateral (${limited(
      sql`
      select priority, id from runs
      where ${ofTurns} and workspace_id = w.key and run_after <= now()
      order by priority, id`,
      limit,
    )}) p
  ),
  quotas as (
    select key, count(*) as quota
    from (${limited(sql`select key from peeked where place <= ${perWorkspace} order by place, id`, limit)}) chosen
    group by key
  ),
  due as (
    select d.* from quotas, lateral (${limited(
      sql`
      select runs.log_id, logs.closed_at from runs join logs on logs.id = runs.log_id
      where ${ofTurns} and runs.workspace_id = quotas.key and runs.run_after <= now()
        and not exists (
          select 1 from runs earlier
          where earlier.lane = runs.lane and earlier.id < runs.id and earlier.status <> 'finished'
        )
      order by runs.priority, runs.id`,
      sql`quotas.quota`,
      sql`for update of runs, logs skip locked`,
    )}) d
  ),
  ${claimParts}
  select ${claimedTurn}, looked.*
  from (
    select (select count(*) from claimed) >= ${limit}
        or exists (select 1 from peeked where place > ${perWorkspace}) as more,
      (select case when count(*) < ${sql.raw(String(MAX_WORKSPACES))} then 0 else max(key) end
        from workspace_ids) as after
  ) looked
  left join claimed on claimed.status = 'running' ${turnOfClaimed}
  order by claimed.priority, claimed.id`,
);
