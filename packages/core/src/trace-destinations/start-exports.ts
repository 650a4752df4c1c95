import { type Queryable, statement, traceDestinations } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { Transaction } from "../log/transaction.ts";
import type { TraceDestinationRow } from "./destination-rows.ts";
import { endsCommittedUntil, hasEnded } from "./ended-runs.ts";

const STARTED_AT_ONCE = 500;

/** The parts of a statement that write the runs of destinations (`due`: id, sid, workspace_id) which have none. */
const startOf = (due: SQL): SQL => sql`
  due as (${due}),
  log as (
    insert into logs (id, last_seq, fence) select sid, 0, 0 from due order by sid
    on conflict (id) do nothing returning id
  ),
  run as (
    insert into runs (kind, workspace_id, log_id, subject_id, status, priority, attempt, max_attempts, run_after,
      created_at)
    select 'trace_export', due.workspace_id, due.sid, due.id, 'waiting', 0, 0, 2, now(),
      floor(extract(epoch from now()) * 1000)::bigint
    from due join log on log.id = due.sid
  )`;

const startOne = statement<{ id: number }>(
  "start_trace_export",
  sql`
  with ${startOf(sql`
    select id, sid, workspace_id from trace_destinations where id = ${sql.placeholder("id")}::bigint`)},
  woken as (
    update runs set status = 'waiting', run_after = now() from due where runs.log_id = due.sid and runs.status = 'suspended'
  )
  select id from log`,
);

/** Starts the export to a destination, and one that waits for its next attempt at once. */
export async function startExportOf(
  { db, afterCommit }: Transaction,
  { id }: Pick<TraceDestinationRow, "id">,
): Promise<void> {
  await startOne.execute(db, { id });
  afterCommit.push({ topic: "runs", cause: "added", kind: "trace_export" });
}

const ofServer = sql`${sql.placeholder("isOfServer")}::boolean`;

const startStatement = statement<{ until: number; isOfServer: boolean }, { sid: string }>(
  "start_trace_exports",
  sql`
  with ${startOf(sql`
    select d.id, d.sid, d.workspace_id from trace_destinations d
    where d.is_enabled and (${ofServer} or not d.is_of_server)
      and not exists (select from logs l where l.id = d.sid)
      and (d.is_test_wanted or d.again_from is not null or exists (
        select from runs r where r.workspace_id = d.workspace_id
          and ${hasEnded({
            at: sql`d.exported_until`,
            runId: sql`d.exported_run_id`,
            until: sql.placeholder("until"),
          })}
      ))
    order by d.id limit ${sql.raw(String(STARTED_AT_ONCE))}`)}
  select id as sid from log`,
);

/**
 * Starts the exports of the destinations after whose place runs have ended, and gives their number: a turn writes nothing
 * for it. Those of the server's settings only if it has them (`isOfServer`).
 */
export async function startTraceExports(
  core: Process,
  { isOfServer, commitMs }: { isOfServer: boolean; commitMs?: number },
): Promise<number> {
  const { db } = core.database;
  if (isOfServer) await addServerDestinations(core, db);
  const until = await endsCommittedUntil(core, commitMs);
  const started = await startStatement.execute(db, { until, isOfServer });
  if (started.length > 0) {
    core.bus.publish([{ topic: "runs", cause: "added", kind: "trace_export" }]);
  }
  return started.length;
}

const missingStatement = statement<Record<string, never>, { id: number }>(
  "find_workspaces_without_server_traces",
  sql`
  select w.id from workspaces w where w.deleted_at is null and not exists (
    select from trace_destinations d where d.workspace_id = w.id and d.is_of_server
  ) limit ${sql.raw(String(STARTED_AT_ONCE))}`,
);

/** Gives each workspace that has none its place in the exports to the destination of the server's settings. */
async function addServerDestinations(core: Process, db: Queryable): Promise<void> {
  const missing = await missingStatement.execute(db, {});
  if (missing.length === 0) return;
  const now = core.now();
  const rows = missing.map(({ id }) => ({
    sid: core.newId("trd"),
    workspaceId: id,
    isOfServer: true,
    name: "Server",
    url: "",
    encoding: "protobuf" as const,
    headerNames: [],
    sendsContent: false,
    percent: 100,
    isEnabled: true,
    exportedUntil: now,
    createdAt: now,
    updatedAt: now,
  }));
  await db.insert(traceDestinations).values(rows).onConflictDoNothing();
}
