import {
  type MeasureDimension as StoredDimension,
  measurePositions,
  type Queryable,
  statement,
} from "@parley/db";
import {
  invalidRequest,
  MAX_MEASURED_DAYS,
  type Measures,
  MINUTES_KEPT_DAYS,
  type ReadMeasures,
  type ReadServerMeasures,
} from "@parley/schema";
import { eq, type SQL, sql } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { onSlowDatabase } from "../data-access/slow-database.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { nameValues, valueOf } from "./measure-names.ts";
import {
  addSums,
  DAY_MS,
  figuresOf,
  HOUR_MS,
  MINUTE_MS,
  periodMs,
  type Sums,
} from "./merge-sums.ts";
import { rolledUntil } from "./roll-up.ts";

/** A range that begins and ends with a period. */
type MeasuredRange = {
  readonly period: keyof typeof periodMs;
  readonly from: number;
  readonly to: number;
};

/**
 * The range that a request means, with the period of its steps. Throws `invalid_request_error` for one that is empty or
 * too long.
 */
function rangeOf(
  { from, to }: { readonly from?: number | undefined; readonly to?: number | undefined },
  now: number,
): MeasuredRange {
  const end = to ?? now;
  const start = from ?? end - HOUR_MS;
  const span = end - start;
  if (span <= 0 || span > MAX_MEASURED_DAYS * DAY_MS) {
    const message = `must be after from, by ${MAX_MEASURED_DAYS} days at most`;
    throw invalidRequest("query", [{ path: "to", message }]);
  }
  const hasMinutes = start - span >= now - MINUTES_KEPT_DAYS * DAY_MS;
  const period = span <= 3 * HOUR_MS && hasMinutes ? "minute" : span <= 7 * DAY_MS ? "hour" : "day";
  const length = periodMs[period];
  return {
    period,
    from: Math.floor(start / length) * length,
    to: Math.ceil(end / length) * length,
  };
}

type Values = MeasuredRange & {
  readonly stepMs: number;
  readonly workspaceId: number;
  readonly dimension: StoredDimension;
};

const isOf = (period: SQL) => sql`
  s.workspace_id = ${sql.placeholder("workspaceId")}::bigint and s.period = ${period}
  and s.dimension = ${sql.placeholder("dimension")}::text
  and s.starts_at >= ${sql.placeholder("from")}::bigint and s.starts_at < ${sql.placeholder("to")}::bigint`;
const stepMs = sql`${sql.placeholder("stepMs")}::bigint`;

/** The sums of a range by step: also of the minutes that hours and days do not have yet. */
const ofRange = sql`(
  select s.value, s.starts_at, s.sums from measure_sums s
  where ${isOf(sql`${sql.placeholder("period")}::text`)}
  union all
  select s.value, s.starts_at - s.starts_at % ${stepMs}, s.sums from measure_sums s
  where ${isOf(sql`'minute'`)} and ${stepMs} > ${sql.raw(String(MINUTE_MS))} and s.starts_at >= ${rolledUntil}
)`;

// Numbers are sent as text: amounts are larger than those that JSON's readers keep exactly.
const pointsStatement = statement<
  Values & { readonly value: string },
  { startsAt: number; sums: Record<string, string> }
>(
  "read_measure_points",
  sql`
  select s.starts_at::float8 as "startsAt",
    (select jsonb_object_agg(part.name, part.n) from jsonb_each_text(s.sums) part(name, n)) as sums
  from ${ofRange} s
  where s.value = ${sql.placeholder("value")}::text`,
);

const count = (name: string) => sql`coalesce((s.sums ->> ${sql.raw(`'${name}'`)})::numeric, 0)`;

const topStatement = statement<
  Values & { readonly limit: number },
  { value: string; sums: Record<string, string> }
>(
  "read_measure_top",
  sql`
  with ranked as materialized (
    select s.value, row_number() over (
      order by sum(${count("answers")} + ${count("toolCalls")}) desc, sum(${count("modelCalls")}) desc, s.value
    ) as place
    from ${ofRange} s where s.value <> ''
    group by s.value order by place limit ${sql.placeholder("limit")}::int
  )
  select r.value, (
    select jsonb_object_agg(summed.name, summed.n::text) from (
      select part.name, sum(part.n::numeric) as n
      from ${ofRange} s cross join lateral jsonb_each_text(s.sums) part(name, n)
      where s.value = r.value group by part.name
    ) summed
  ) as sums
  from ranked r order by r.place`,
);

/**
 * Reads what happened in a workspace in a range, in a range as long before it, and by a dimension. What it reads is
 * bounded by the steps of the range, however much has happened.
 */
export async function getMeasures(
  request: RequestContext,
  { wId, ...input }: ReadMeasures,
): Promise<Measures> {
  const context = onSlowDatabase(request);
  const workspace = await administeredWorkspace(context, context.database.db, wId);
  return readMeasures(context, { workspaceId: workspace.id, ...input });
}

/** Does what `getMeasures` does, for all workspaces. */
export async function getServerMeasures(
  request: RequestContext,
  input: ReadServerMeasures,
): Promise<Measures> {
  return readMeasures(onSlowDatabase(request), { workspaceId: 0, ...input });
}

type MeasuresOf = Omit<ReadMeasures, "wId" | "dimension"> & {
  readonly workspaceId: number;
  readonly dimension: Exclude<StoredDimension, "all">;
};

async function readMeasures(
  { database: { db }, now: clock }: RequestContext,
  { workspaceId, dimension, value: id, limit, ...given }: MeasuresOf,
): Promise<Measures> {
  const range = rangeOf(given, clock());
  const { from, to, period } = range;
  const length = periodMs[period];
  const of = { ...range, stepMs: length, workspaceId, dimension };
  const all = { ...of, dimension: "all", value: "" } as const;
  const value = id === undefined ? null : await valueOf(db, { workspaceId, dimension, id });
  const asked = id === undefined ? all : { ...of, value };
  const [read, totals, top, writtenUntil] = await Promise.all([
    asked.value === null ? emptyPoints : readPoints(db, { ...asked, value: asked.value }),
    readPoints(db, all),
    topStatement.execute(db, { ...of, limit }),
    readPosition(db),
  ]);
  const named = await nameValues(db, { ...of, values: top.map((row) => row.value) });
  const rest = addSums(new Map(), totals.during);
  const rows = top.map((row) => {
    const sums = addSums(new Map(), Object.entries(row.sums));
    addSums(rest, sums, -1n);
    return { ...(named.get(row.value) ?? { id: null, name: "Removed" }), ...figuresOf(sums) };
  });
  const others = othersOf(rest, dimension);
  return {
    from,
    to,
    stepMs: length,
    points: Array.from({ length: (to - from) / length }, (_, index) => {
      const startsAt = from + index * length;
      return { startsAt, ...figuresOf(read.points.get(startsAt) ?? new Map()) };
    }),
    totals: figuresOf(read.during),
    before: figuresOf(read.before),
    top: others === undefined ? rows : [...rows, { id: null, name: null, ...others }],
    writtenUntil,
  };
}

/** What is left of all beside the largest; undefined if that is nothing. How long calls of tools took is only theirs. */
function othersOf(rest: Sums, dimension: Exclude<StoredDimension, "all">) {
  const figures = figuresOf(rest);
  if (dimension === "tool") {
    if (figures.toolCalls === 0) return undefined;
    const { toolCalls, toolCallsErrored } = figures;
    return { ...figuresOf(new Map()), toolCalls, toolCallsErrored };
  }
  const { answers, toolCalls, modelCalls } = figures;
  return answers + modelCalls === 0 && (dimension === "model" || toolCalls === 0)
    ? undefined
    : figures;
}

interface Points {
  readonly points: ReadonlyMap<number, Sums>;
  readonly during: Sums;
  readonly before: Sums;
}

const emptyPoints: Points = { points: new Map(), during: new Map(), before: new Map() };

async function readPoints(db: Queryable, of: Values & { readonly value: string }): Promise<Points> {
  const rows = await pointsStatement.execute(db, { ...of, from: of.from - (of.to - of.from) });
  const points = new Map<number, Sums>();
  const during: Sums = new Map();
  const before: Sums = new Map();
  for (const { startsAt, sums } of rows) {
    const isBefore = startsAt < of.from;
    addSums(isBefore ? before : during, Object.entries(sums));
    if (isBefore) continue;
    points.set(startsAt, addSums(points.get(startsAt) ?? new Map(), Object.entries(sums)));
  }
  return { points, during, before };
}

async function readPosition(db: Queryable): Promise<number | null> {
  const [row] = await db
    .select({ scanFrom: measurePositions.scanFrom })
    .from(measurePositions)
    .where(eq(measurePositions.name, "answers"));
  return row?.scanFrom ?? null;
}
