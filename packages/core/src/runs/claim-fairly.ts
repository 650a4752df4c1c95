/**
 * Claims of kinds whose runs are shared evenly among workspaces, by how many of each a worker holds: statements
 * for a kind, with what its runs start from.
 */
import { type Statement, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import {
  claimedColumns,
  type ClaimedRow,
  type ClaimedRun,
  type ClaimFrom,
  type ClaimOptions,
  claimParts,
  lastWorkspace,
  limited,
  nextWorkspaces,
} from "./claim-parts.ts";
import type { RunKind } from "./run-kinds.ts";

/** `held`: the runs of the kind that the worker holds of each workspace, as JSON `[{workspace_id, held}]`. */
type Values = ClaimFrom & { readonly held: string };

/** `ClaimFrom`, with how many runs of the kind the worker holds of each workspace, by its number. */
export type FairClaim = ClaimFrom & { readonly held: ReadonlyMap<number, number> };

/** The values of a fair claim's statement. */
export function toClaimValues({ held, ...options }: FairClaim): Values {
  const columns = [...held].map(([id, count]) => ({ workspace_id: id, held: count }));
  return { ...options, held: JSON.stringify(columns) };
}

/** How many runs of each workspace there are. */
export function heldOfWorkspaces(runs: Iterable<ClaimedRun>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { workspaceId } of runs) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  return counts;
}

const perWorkspace = sql`${sql.placeholder("perWorkspace")}::int`;
const limit = sql`${sql.placeholder("limit")}::int`;
const literalOf = (kind: RunKind): SQL => sql.raw(`'${kind}'`);

// The workspace of which the worker holds the fewest comes first, so that the places are shared
// evenly, however many runs wait. `peeked` reads no more of a workspace than could be claimed, and
// locks nothing; runs that another worker has claimed in the meantime are replaced by later ones. Run and log
// are locked without waiting: ending a run locks its log first, and two orders of waiting could
// deadlock.
/** A statement that claims waiting runs of a kind; `subject` selects what a claimed run starts from. */
export function fairClaim<Subject>(
  name: string,
  { kind, subject }: { readonly kind: RunKind; readonly subject: SQL },
): Statement<Values, ClaimedRow<Subject>> {
  const waiting = sql`runs.status = 'waiting' and runs.kind = ${literalOf(kind)}`;
  return statement(
    name,
    sql`
  with recursive ${nextWorkspaces(waiting)},
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
      where ${waiting} and workspace_id = w.key and run_after <= now()
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
      where ${waiting} and runs.workspace_id = quotas.key and runs.run_after <= now()
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
  select ${claimedColumns(subject)}, looked.*
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
}

/** A statement that takes over runs of a kind whose worker has not renewed its lease. */
export function fairTakeOver<Subject>(
  name: string,
  { kind, subject }: { readonly kind: RunKind; readonly subject: SQL },
): Statement<ClaimOptions, ClaimedRun<Subject>> {
  return statement(
    name,
    sql`
  with due as (
    select r.log_id, logs.closed_at from runs r join logs on logs.id = r.log_id
    where r.status = 'running' and r.kind = ${literalOf(kind)} and r.lease_until < now()
    order by r.lease_until
    limit ${sql.placeholder("limit")}::int
    for update of r, logs skip locked
  ),
  ${claimParts}
  select ${claimedColumns(subject)} from claimed
  where claimed.status = 'running'
  order by claimed.priority, claimed.id`,
  );
}
