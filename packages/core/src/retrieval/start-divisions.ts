import { dataSourceNodes, statement } from "@parley/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Process } from "../context.ts";

const STARTED_AT_ONCE = 100;

const startStatement = statement<Record<string, never>, { sid: string }>(
  "start_divisions",
  sql`
  with due as (
    select v.id, v.sid, v.workspace_id from data_source_views v
    where exists (
        select from data_source_nodes n
        where n.view_id = v.id and n.divided_at is null and n.node_type = 'document')
      and not exists (select from logs l where l.id = v.sid)
    order by v.id limit ${sql.raw(String(STARTED_AT_ONCE))}
  ),
  log as (
    insert into logs (id, last_seq, fence) select sid, 0, 0 from due order by sid
    on conflict (id) do nothing returning id
  ),
  run as (
    insert into runs (kind, workspace_id, log_id, subject_id, status, priority, attempt, max_attempts, run_after,
      created_at)
    select 'division', due.workspace_id, due.sid, due.id, 'waiting', 0, 0, 100, now(),
      floor(extract(epoch from now()) * 1000)::bigint
    from due join log on log.id = due.sid
  )
  select id as sid from log`,
);

/**
 * Starts a division for each data source with documents that are not divided, unless one is under way, and gives the
 * number of those started: an upload writes nothing for it.
 */
export async function startDivisions(core: Pick<Process, "database" | "bus">): Promise<number> {
  const started = await startStatement.execute(core.database.db, {});
  if (started.length > 0) {
    core.bus.publish([{ topic: "runs", cause: "added", kind: "division" }]);
  }
  return started.length;
}

/** Documents that are counted at most. */
const COUNTED = 10_000;

/** How many documents of the server wait for their division; 10,000 may be more. */
export async function countWaitingDocuments({
  database: { db },
}: Pick<Process, "database">): Promise<number> {
  const { dividedAt, nodeType } = dataSourceNodes;
  const waiting = db
    .select({ viewId: dataSourceNodes.viewId })
    .from(dataSourceNodes)
    .where(and(isNull(dividedAt), eq(nodeType, "document")))
    .limit(COUNTED)
    .as("waiting");
  return db.$count(waiting);
}
