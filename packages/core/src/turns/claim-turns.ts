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
import {
  claimedTurnColumns,
  toTurnRun,
  type TurnColumns,
  type TurnInput,
  type TurnRun,
} from "./load-turns.ts";

/** `held`: the turns that the worker holds of each workspace, as JSON `[{workspace_id, held}]`. */
type Values = ClaimFrom & { readonly held: string };

const claimedTurn = claimedColumns(claimedTurnColumns);

const ofTurns = sql`runs.status = 'waiting' and runs.kind = 'agent_turn'`;
const perWorkspace = sql`${sql.placeholder("perWorkspace")}::int`;
const limit = sql`${sql.placeholder("limit")}::int`;

// The workspace of which the worker holds the fewest turns comes first, so that the places are shared
// evenly, however many turns wait. `peeked` reads no more of a workspace than could be claimed, and
// locks nothing; turns that another worker has claimed in the meantime are replaced by later ones. Run and log
// are locked without waiting: ending a run locks its log first, and two orders of waiting could
// deadlock.
const claimTurnsStatement = statement<Values, ClaimedRow<TurnColumns>>(
  "claim_turns",
  sql`
  with recursive ${nextWorkspaces(ofTurns)},
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
          where earlier.ordering_key = runs.ordering_key and earlier.id < runs.id and earlier.status <> 'finished'
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
      (
        select coalesce(json_agg(distinct key), '[]') from peeked where place > ${perWorkspace}
      ) as "full",
      ${lastWorkspace} as after
  ) looked
  left join claimed on claimed.status = 'running'
  order by claimed.priority, claimed.id`,
);

/**
 * Claims waiting turns; each goes to one worker only. Workspaces of which the worker holds the fewest
 * (`held`, by the workspace's number) come first, and of none does it hold more than `perWorkspace`;
 * within one, the most urgent and then the oldest turns come first.
 */
export async function claimTurns(
  core: Process,
  { held, ...options }: ClaimFrom & { readonly held: ReadonlyMap<number, number> },
): Promise<Claimed<TurnInput>> {
  const columns = [...held].map(([id, count]) => ({ workspace_id: id, held: count }));
  const values = { ...options, held: JSON.stringify(columns) };
  const claimed = toClaimed(await claimTurnsStatement.execute(core.database.db, values));
  return { ...claimed, runs: claimed.runs.map(toTurnRun) };
}

const takeOverStatement = statement<ClaimOptions, TurnRun>(
  "take_over_turns",
  sql`
  with due as (
    select r.log_id, logs.closed_at from runs r join logs on logs.id = r.log_id
    where r.status = 'running' and r.kind = 'agent_turn' and r.lease_until < now()
    order by r.lease_until
    limit ${sql.placeholder("limit")}::int
    for update of r, logs skip locked
  ),
  ${claimParts}
  select ${claimedTurn} from claimed
  where claimed.status = 'running'
  order by claimed.priority, claimed.id`,
);

/** Takes over turns whose worker has not renewed its lease. */
export async function takeOverTurns(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<TurnInput>[]> {
  if (options.limit <= 0) return [];
  return (await takeOverStatement.execute(database.db, options)).map(toTurnRun);
}
