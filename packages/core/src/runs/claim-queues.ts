/**
 * Claims of kinds whose runs stand in queues within their workspace, such as those of a function: each queue and each
 * workspace has a limit, and of what a full queue holds no more is read than may run.
 */
import { type Statement, statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import {
  claimedColumns,
  type ClaimedRow,
  type ClaimFrom,
  claimParts,
  lastWorkspace,
  limited,
  nextWorkspaces,
} from "./claim-parts.ts";
import { distinctKeys } from "./distinct-keys.ts";
import type { RunKind } from "./run-kinds.ts";

/** Queues that one claim looks at, of each workspace. */
const MAX_QUEUES = 200;

const limit = sql`${sql.placeholder("limit")}::int`;

/** A kind whose runs stand in queues. */
export interface QueuedKind {
  readonly kind: RunKind;
  /** The column of `runs` that names the queue, the second of an index of the waiting runs of the kind. */
  readonly queue: SQL;
  /** Selects what runs already, of the workspaces of `workspace_ids`: workspace_id, queue_id, running. */
  readonly running: SQL;
  /** How many runs of a queue `q` may run at once, with what that is read from. */
  readonly most: { readonly value: SQL; readonly from: SQL };
  /** Selects what a claimed run starts from. */
  readonly subject: SQL;
}

/** A statement that claims waiting runs of a kind; the workspace that has the fewest running comes first. */
export function claimFromQueues<Values extends ClaimFrom, Subject>(
  name: string,
  { kind, queue, running, most, subject }: QueuedKind,
): Statement<Values, ClaimedRow<Subject>> {
  const waiting = sql`runs.status = 'waiting' and runs.kind = ${sql.raw(`'${kind}'`)}`;
  return statement(
    name,
    sql`
  with recursive ${nextWorkspaces(waiting)},
  queues as (
    select w.key as workspace_id, f.key as queue_id from workspace_ids w, lateral (
      with recursive ${distinctKeys({
        name: "queue_ids",
        column: queue,
        where: sql`${waiting} and runs.workspace_id = w.key`,
        after: sql`0`,
        max: MAX_QUEUES,
      })} select key from queue_ids
    ) f
  ),
  running as materialized (${running}),
  held as (select workspace_id, sum(running)::int as held from running group by workspace_id),
  room as (
    select q.workspace_id, q.queue_id, coalesce(held.held, 0) as held,
      ${sql.placeholder("perWorkspace")}::int - coalesce(held.held, 0) as of_workspace,
      ${most.value} - coalesce(running.running, 0) as of_queue
    from queues q ${most.from}
    left join running on running.queue_id = q.queue_id
    left join held on held.workspace_id = q.workspace_id
  ),
  peeked as (
    select r.*, p.id,
      row_number() over (partition by r.workspace_id order by p.priority, p.id) as place
    from room r, lateral (${limited(
      sql`
      select priority, id from runs
      where ${waiting} and workspace_id = r.workspace_id and ${queue} = r.queue_id
        and run_after <= now()
      order by priority, id`,
      sql`greatest(0, least(r.of_queue, r.of_workspace, ${limit}))`,
    )}) p
  ),
  quotas as (
    select workspace_id, queue_id, count(*) as quota
    from (${limited(
      sql`
      select workspace_id, queue_id from peeked
      where place <= of_workspace order by held + place, id`,
      limit,
    )}) chosen
    group by workspace_id, queue_id
  ),
  due as (
    select d.* from quotas q, lateral (${limited(
      sql`
      select runs.log_id, logs.closed_at from runs join logs on logs.id = runs.log_id
      where ${waiting} and runs.workspace_id = q.workspace_id
        and ${queue} = q.queue_id and runs.run_after <= now()
        and not exists (
          select from runs earlier
          where earlier.ordering_key = runs.ordering_key and earlier.id < runs.id and earlier.status <> 'finished'
        )
      order by runs.priority, runs.id`,
      sql`q.quota`,
      sql`for update of runs, logs skip locked`,
    )}) d
  ),
  ${claimParts}
  select ${claimedColumns(subject)}, looked.*
  from (
    select exists (
      select 1 from room r left join quotas q on q.queue_id = r.queue_id
      where coalesce(q.quota, 0) >= least(r.of_queue, r.of_workspace, ${limit})
        or (select count(*) from claimed) >= ${limit}
    ) as more,
    ${lastWorkspace} as after
  ) looked
  left join claimed on claimed.status = 'running'
  order by claimed.priority, claimed.id`,
  );
}
