import { statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import { rowBytesOf, versionTables } from "./size-statements.ts";
import type { StorageServices } from "./storage-meter.ts";

const SWEPT_AT_ONCE = 100;
/** No request takes as long to write the message that a draft answers. */
const LATE_MS = 3_600_000;

interface Freed {
  readonly workspaceId: number;
  readonly bytes: number;
}

const sweepStatement = statement<{ before: number }, Freed>(
  "sweep_agent_drafts",
  sql`
  with due as materialized (
    select a.id from agents a
    where a.status = 'draft' and a.created_at < ${sql.placeholder("before")}::bigint
      and not exists (select from messages m where m.agent_id = a.id)
      and not exists (select from feedbacks f where f.agent_id = a.id)
    order by a.created_at limit ${sql.raw(String(SWEPT_AT_ONCE))} for update of a skip locked
  ),
  without_functions as (delete from agent_functions p using due where p.agent_id = due.id),
  without_skills as (delete from agent_skills p using due where p.agent_id = due.id),
  without_tools as (delete from agent_tools p using due where p.agent_id = due.id)
  delete from agents a using due where a.id = due.id
  returning a.workspace_id::float8 as "workspaceId",
    (${rowBytesOf("a", versionTables.agent.columns)})::float8 as bytes`,
);

/** Deletes some of the drafts of agents whose answers are erased. Gives their number, 0 once none is left. */
export async function sweepDrafts(core: Process & StorageServices): Promise<number> {
  const values = { before: core.now() - LATE_MS };
  const gone = await sweepStatement.execute(core.database.slow.db, values);
  for (const { workspaceId, bytes } of gone) core.storage.add(workspaceId, -bytes);
  return gone.length;
}
