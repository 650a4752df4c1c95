import { statement } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { Transaction } from "../log/transaction.ts";
import type { WebSourceRow } from "./web-source-rows.ts";

const STARTED_AT_ONCE = 100;

const nowMs = sql`floor(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** A statement's parts that begin refreshes of web sources (`due`: id, sid, workspace_id) of which none is under way. */
const startOf = (due: SQL): SQL => sql`
  with due as (${due}),
  log as (
    insert into logs (id, last_seq, fence) select sid, 0, 0 from due order by sid
    on conflict (id) do nothing returning id
  ),
  begun as (
    update web_sources s
    set refresh = s.refresh + 1, refresh_started_at = ${nowMs}, next_refresh_at = null, removed_pages = 0
    from due join log on log.id = due.sid where s.id = due.id
    returning s.id, s.sid, s.workspace_id, s.url, s.kind, s.refresh
  ),
  page as (
    insert into web_pages (web_source_id, url, refresh, depth, is_map, state, links)
    select id, url, refresh, 0, kind = 'sitemap', 'waiting', '{}' from begun
    on conflict (web_source_id, url) do update set refresh = excluded.refresh, depth = 0, state = 'waiting'
  ),
  run as (
    insert into runs (kind, workspace_id, log_id, subject_id, status, priority, attempt, max_attempts, run_after,
      created_at)
    select 'web_refresh', workspace_id, sid, id, 'waiting', 0, 0, 10, now(), ${nowMs} from begun
  )
  select sid from begun`;

const startOne = statement<{ id: number }, { sid: string }>(
  "start_web_refresh",
  startOf(sql`
    select id, sid, workspace_id from web_sources where id = ${sql.placeholder("id")}::bigint`),
);

const startDue = statement<Record<string, never>, { sid: string }>(
  "start_web_refreshes",
  startOf(sql`
    select id, sid, workspace_id from web_sources where next_refresh_at <= ${nowMs}
    order by next_refresh_at limit ${sql.raw(String(STARTED_AT_ONCE))} for update skip locked`),
);

const added = { topic: "runs", cause: "added", kind: "web_refresh" } as const;

/** Starts to read a web source, unless that is under way. */
export async function startRefreshOf(
  { db, afterCommit }: Transaction,
  { id }: Pick<WebSourceRow, "id">,
): Promise<void> {
  await startOne.execute(db, { id });
  afterCommit.push(added);
}

/** Starts to read the web sources whose time has come, and gives their number. */
export async function startRefreshes(core: Pick<Process, "database" | "bus">): Promise<number> {
  const started = await startDue.execute(core.database.db, {});
  if (started.length > 0) core.bus.publish([added]);
  return started.length;
}
