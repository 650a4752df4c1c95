import { statement } from "@parley/db";
import type { Overview, OverviewSeries, OverviewWindow } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import type { Process, RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { countColumns, countSums, firstUncounted, happened } from "./count-activity.ts";
import type { LocalStreams } from "./local-streams.ts";
import { type Buckets, bucketsOf, sampledMinute } from "./minutes.ts";
import { runningRuns, waitingRuns } from "./sample-load.ts";

type OverviewContext = Process & { readonly localStreams: LocalStreams };

type Times = { readonly workspaceId: number } & Omit<Buckets, "count">;

type CountName = Exclude<keyof OverviewSeries, "waitingRuns" | "oldestWaitingMs" | "openStreams">;
type CountRow = Readonly<Record<CountName, number>> & { readonly bucket: number };
type LoadRow = Readonly<Record<Exclude<keyof OverviewSeries, CountName>, number>> & {
  readonly bucket: number;
};

const workspaceId = sql`${sql.placeholder("workspaceId")}::bigint`;
const start = sql`${sql.placeholder("start")}::bigint`;
const end = sql`${sql.placeholder("end")}::bigint`;
const bucketMs = sql`${sql.placeholder("bucketMs")}::bigint`;

const toKey = (column: string) =>
  `"${column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())}"`;

/** Counts by bucket: of counted minutes, and of what happened since in the workspaces `w`. */
const countsOf = (name: string, workspaces: SQL) =>
  statement<Times, CountRow>(
    name,
    sql`
    with uncounted as materialized (select greatest(${start}, ${firstUncounted}) as start)
    select ((at - ${start}) / ${bucketMs})::int as bucket, ${countSums(toKey)}
    from (
      select minute as at, workspace_id, ${countColumns} from activity_minutes
      where workspace_id = ${workspaceId} and minute >= ${start} and minute < ${end}
      union all
      ${happened(workspaces, { start: sql`(select start from uncounted)`, after: end })}
    ) counted
    group by 1`,
  );

const loadStatement = statement<Times, LoadRow>(
  "read_load",
  sql`
  select ((minute - ${start}) / ${bucketMs})::int as bucket, max(waiting)::float8 as "waitingRuns",
    max(oldest)::float8 as "oldestWaitingMs", max(streams)::float8 as "openStreams"
  from (
    select minute, max(waiting_runs) as waiting, max(oldest_waiting_ms) as oldest,
      sum(open_streams) as streams
    from load_samples
    where workspace_id = ${workspaceId} and minute >= ${start} and minute < ${end}
    group by minute
  ) by_minute
  group by 1`,
);

type NowValues = {
  readonly workspaceId: number;
  readonly processId: string;
  readonly minute: number;
};

interface NowRow {
  readonly waitingRuns: number;
  readonly oldestAt: number | null;
  readonly runningRuns: number;
  readonly streamsElsewhere: number;
}

const nowOf = (name: string, where: SQL) =>
  statement<NowValues, NowRow>(
    name,
    sql`
    select waiting.*, running.*, elsewhere.*
    from (
      select count(*)::int as "waitingRuns", min(created_at)::float8 as "oldestAt"
      from (${waitingRuns(where)}) counted
    ) waiting,
    (select count(*)::int as "runningRuns" from (${runningRuns(where)}) counted) running,
    (
      select coalesce(sum(open_streams), 0)::int as "streamsElsewhere" from load_samples
      where workspace_id = ${workspaceId} and minute = ${sql.placeholder("minute")}::bigint
        and process_id <> ${sql.placeholder("processId")}
    ) elsewhere`,
  );

const ofWorkspace = {
  counts: countsOf("read_activity", sql`(select ${workspaceId} as id)`),
  now: nowOf("read_load_now", sql`workspace_id = ${workspaceId}`),
};
const ofServer = {
  counts: countsOf("read_activity_of_all", sql`workspaces`),
  now: nowOf("read_load_of_all_now", sql`true`),
};

/** Shows what happens in a workspace, and what happened in it in the last hour or day. */
export async function getOverview(
  context: RequestContext & OverviewContext,
  { wId, window }: { wId: string; window: OverviewWindow },
): Promise<Overview> {
  const workspace = await administeredWorkspace(context, context.database.db, wId);
  const openStreams = context.localStreams.counts().get(workspace.sid) ?? 0;
  return readOverview(context, { ...ofWorkspace, id: workspace.id, window, openStreams });
}

/** The same for all workspaces together. */
export async function getServerOverview(
  context: RequestContext & OverviewContext,
  { window }: { window: OverviewWindow },
): Promise<Overview> {
  const openStreams = context.localStreams
    .counts()
    .values()
    .reduce((sum, count) => sum + count, 0);
  return readOverview(context, { ...ofServer, id: 0, window, openStreams });
}

type Shown = typeof ofWorkspace & {
  /** Number of the workspace; 0 for all. */
  readonly id: number;
  readonly window: OverviewWindow;
  /** Streams that are open in this process. */
  readonly openStreams: number;
};

async function readOverview(
  { database: { db }, now: clock, localStreams }: OverviewContext,
  { id, window, openStreams, counts, now }: Shown,
): Promise<Overview> {
  const at = clock();
  const { count, ...times } = bucketsOf(window, at);
  const values = { workspaceId: id, ...times };
  const { processId } = localStreams;
  const minute = sampledMinute(at);
  const [happenings, load, [current]] = await Promise.all([
    counts.execute(db, values),
    loadStatement.execute(db, values),
    now.execute(db, { workspaceId: id, processId, minute }),
  ]);
  if (current === undefined) throw new Error("The statement has no row");
  const fill = <Row extends { readonly bucket: number }>(
    rows: readonly Row[],
    name: keyof Row,
  ): number[] => {
    const series = Array.from({ length: count }, () => 0);
    for (const row of rows) series[row.bucket] = Number(row[name]);
    return series;
  };
  const { oldestAt } = current;
  return {
    bucketMs: times.bucketMs,
    times: Array.from({ length: count }, (_, index) => times.start + index * times.bucketMs),
    series: {
      conversations: fill(happenings, "conversations"),
      turns: fill(happenings, "turns"),
      turnsErrored: fill(happenings, "turnsErrored"),
      invocations: fill(happenings, "invocations"),
      invocationsErrored: fill(happenings, "invocationsErrored"),
      inputTokens: fill(happenings, "inputTokens"),
      outputTokens: fill(happenings, "outputTokens"),
      cachedInputTokens: fill(happenings, "cachedInputTokens"),
      cacheWriteTokens: fill(happenings, "cacheWriteTokens"),
      reasoningTokens: fill(happenings, "reasoningTokens"),
      waitingRuns: fill(load, "waitingRuns"),
      oldestWaitingMs: fill(load, "oldestWaitingMs"),
      openStreams: fill(load, "openStreams"),
    },
    now: {
      at,
      waitingRuns: current.waitingRuns,
      oldestWaitingMs: oldestAt === null ? null : Math.max(0, at - oldestAt),
      runningRuns: current.runningRuns,
      openStreams: openStreams + current.streamsElsewhere,
    },
  };
}
