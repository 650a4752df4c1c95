import { type MeasureDimension, type MeasurePeriod, type Queryable, statement } from "@parley/db";
import { MAX_MEASURED_VALUES } from "@parley/schema";
import { sql } from "drizzle-orm";
import { mergedSums } from "./merge-sums.ts";

/** The values of a dimension in a period. */
export interface TouchedGroup {
  readonly workspaceId: number;
  readonly period: MeasurePeriod;
  readonly dimension: MeasureDimension;
  readonly startsAt: number;
}

/** Values that a group has before it is cut down to the largest, so that a value can become one of them. */
const MAX_UNFOLDED = 2 * MAX_MEASURED_VALUES;

const isOfGroup = sql`m.workspace_id = t."workspaceId" and m.period = t.period and m.dimension = t.dimension
  and m.starts_at = t."startsAt"`;
const count = (name: string) => sql`coalesce((m.sums ->> ${sql.raw(`'${name}'`)})::numeric, 0)`;

const foldStatement = statement<{ groups: string }>(
  "fold_measures",
  sql`
  with touched as (
    select * from json_to_recordset(${sql.placeholder("groups")}::json)
      as t("workspaceId" bigint, period text, dimension text, "startsAt" bigint)
  ),
  small as materialized (
    select m.* from touched t cross join lateral (
      select m.* from measure_sums m where ${isOfGroup} and m.value <> ''
      order by ${count("answers")} + ${count("toolCalls")} desc, ${count("modelCalls")} desc, m.value
      offset ${sql.raw(String(MAX_MEASURED_VALUES))}
    ) m
    where (
      select count(*) from (
        select from measure_sums m where ${isOfGroup} limit ${sql.raw(String(MAX_UNFOLDED + 1))}
      ) of_group
    ) > ${sql.raw(String(MAX_UNFOLDED))}
  ),
  gone as (
    delete from measure_sums m using small
    where m.workspace_id = small.workspace_id and m.period = small.period and m.dimension = small.dimension
      and m.starts_at = small.starts_at and m.value = small.value
  )
  insert into measure_sums as s (workspace_id, period, dimension, starts_at, value, sums)
  select workspace_id, period, dimension, starts_at, '', jsonb_object_agg(name, n)
  from (
    select workspace_id, period, dimension, starts_at, part.name, sum(part.n::numeric) as n
    from small cross join lateral jsonb_each_text(sums) part(name, n) group by 1, 2, 3, 4, 5
  ) folded
  group by 1, 2, 3, 4
  on conflict on constraint measure_sums_pk do update
    set sums = ${mergedSums(sql`s.sums`, sql`excluded.sums`)}`,
);

/** Cuts groups that have too many values down to the largest ones; the others are together in the empty value. */
export async function foldValues(db: Queryable, groups: readonly TouchedGroup[]): Promise<void> {
  if (groups.length === 0) return;
  await foldStatement.execute(db, { groups: JSON.stringify(groups) });
}
