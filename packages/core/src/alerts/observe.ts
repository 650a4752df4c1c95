/** What alerts look at, of all workspaces at once. */
import { type Queryable, statement } from "@parley/db";
import { type AlertRule, percentile } from "@parley/schema";
import { sql } from "drizzle-orm";
import { waitingRuns } from "../activity/sample-load.ts";
import {
  addSums,
  DAY_MS,
  HOUR_MS,
  histogramOf,
  MINUTE_MS,
  type Sums,
} from "../measures/merge-sums.ts";
import { spendingOf, startOfPeriod } from "../usage/budget-periods.ts";

/** What a rule looks at over time: of all workspaces if it names none. */
export interface Window {
  readonly workspaceId: number | null;
  readonly minutes: number;
  readonly agentId: string | null;
}

const now = sql`${sql.placeholder("now")}::bigint`;

const windowStatement = statement<
  { windows: string; now: number },
  { workspaceId: number; minutes: number; agentId: string | null; sums: Record<string, string> }
>(
  "observe_windows",
  sql`
  with wanted as (
    select *, ${now} - ${now} % ${sql.raw(String(MINUTE_MS))} - minutes * ${sql.raw(String(MINUTE_MS))}::bigint as since
    from json_to_recordset(${sql.placeholder("windows")}::json)
      as w("workspaceId" bigint, minutes int, "agentId" text)
  ),
  found as (
    select m.workspace_id, w.minutes, w."agentId", m.sums from wanted w
    join measure_sums m on m.period = 'minute' and m.dimension = 'all' and m.starts_at >= w.since
    where w."workspaceId" is null and m.workspace_id <> 0
    union all
    select m.workspace_id, w.minutes, w."agentId", m.sums from wanted w
    join measure_sums m on m.workspace_id = w."workspaceId" and m.period = 'minute'
      and m.dimension = case when w."agentId" is null then 'all' else 'agent' end
      and m.value = coalesce(w."agentId", '') and m.starts_at >= w.since
  )
  select workspace_id::float8 as "workspaceId", minutes, "agentId", jsonb_object_agg(name, n::text) as sums
  from (
    select workspace_id, minutes, "agentId", part.name, sum(part.n::numeric) as n
    from found cross join lateral jsonb_each_text(found.sums) part(name, n)
    group by 1, 2, 3, 4
  ) summed
  group by 1, 2, 3`,
);

interface LiveRow {
  readonly kind: "worker" | "queued" | "budget" | "active";
  readonly workspaceId: number;
  readonly value: number;
}

const liveStatement = statement<{ now: number }, LiveRow>(
  "observe_live",
  sql`
  select 'worker' as kind, 0 as "workspaceId", count(*)::float8 as value from workers where alive_until > now()
  union all
  select 'queued', workspace_id::float8, greatest(0, ${now} - min(created_at))::float8
  from (${waitingRuns(sql`true`)}) waiting group by workspace_id
  union all
  select 'budget', b.workspace_id::float8, max(one.spent * 100.0 / b."limit")::float8
  from budgets b cross join lateral (${spendingOf(sql`b`, startOfPeriod(sql`b`, now))}) one
  where b.workspace_id is not null and b.measure = 'money' and b.period in ('day', 'week', 'month', 'all')
    and b."limit" > 0
  group by b.workspace_id
  union all
  select distinct 'active', m.workspace_id::float8, 1 from measure_sums m
  where m.period = 'hour' and m.dimension = 'all' and m.workspace_id <> 0
    and m.starts_at >= ${now} - ${sql.raw(String(DAY_MS + HOUR_MS))}`,
);

/** What was observed, by workspace. */
export interface Observed {
  /** The workspaces in which something happened in the last day, waits, or costs. */
  readonly workspaceIds: ReadonlySet<number>;
  /** The measure of a rule; null if too little has happened. */
  read(workspaceId: number, rule: AlertRule): number | null;
}

const windowKey = (workspaceId: number, minutes: number, agentId: string | null) =>
  `${workspaceId}/${minutes}/${agentId ?? ""}`;

/** Reads what rules with these windows look at. */
export async function observe(
  db: Queryable,
  windows: readonly Window[],
  at: number,
): Promise<Observed> {
  const live = await liveStatement.execute(db, { now: at });
  const rows = await windowStatement.execute(db, { windows: JSON.stringify(windows), now: at });
  const sums = new Map(
    rows.map((row) => [
      windowKey(row.workspaceId, row.minutes, row.agentId),
      addSums(new Map(), Object.entries(row.sums)),
    ]),
  );
  const of = (kind: LiveRow["kind"]) =>
    new Map(live.flatMap((row) => (row.kind === kind ? [[row.workspaceId, row.value]] : [])));
  const queued = of("queued");
  const budgets = of("budget");
  const workers = of("worker").get(0) ?? 0;
  const ids = [...rows, ...live.filter(({ kind }) => kind !== "worker")];
  return {
    workspaceIds: new Set(ids.map(({ workspaceId }) => workspaceId)),
    read: (workspaceId, rule) => {
      if (rule.measure === "oldest_queued") return queued.get(workspaceId) ?? 0;
      if (rule.measure === "live_workers") return workers;
      if (rule.measure === "budget_spent") return budgets.get(workspaceId) ?? 0;
      const key = windowKey(workspaceId, rule.windowMinutes, rule.agentId);
      return measureOf(sums.get(key) ?? new Map(), rule);
    },
  };
}

/** What a rule looks at in the sums of its window; null if there are too few answers. */
export function measureOf(
  sums: Sums,
  { measure, minAnswers }: Pick<AlertRule, "measure" | "minAnswers">,
): number | null {
  const answers = Number(sums.get("answers") ?? 0n);
  const errored = Number(sums.get("errored") ?? 0n);
  if (measure === "answers") return answers;
  if (measure === "errors") return errored;
  if (answers === 0 || answers < minAnswers) return null;
  if (measure === "error_rate") return (errored * 100) / answers;
  return percentile(histogramOf(sums, measure === "first_token_p95" ? "first:" : "whole:"), 0.95);
}
