import { type SQL, sql } from "drizzle-orm";

export interface DistinctKeys {
  /** The recursive part's name; its rows are (key, place), the places 1, 2, 3 …. */
  readonly name: string;
  /** The column whose values are wanted, the leading one of an index on what `where` says. */
  readonly column: SQL;
  readonly where: SQL;
  /** The value after which to begin. */
  readonly after: SQL;
  /** Values at most. */
  readonly max: number;
}

/**
 * A part of a recursive statement that finds the distinct values of a column of `runs` in their order
 * without reading the runs of each: it looks into the index once for each value.
 */
export function distinctKeys({ name, column, where, after, max }: DistinctKeys): SQL {
  const self = sql.raw(name);
  const nextAfter = (key: SQL) => sql`
    select ${column} as key from runs where ${where} and ${column} > ${key}
    order by ${column} limit 1`;
  return sql`
  ${self} (key, place) as (
    select first.key, 1 from (${nextAfter(after)}) first
    union all
    select next.key, self.place + 1
    from ${self} self, lateral (${nextAfter(sql`self.key`)}) next
    where self.place < ${sql.raw(String(max))}
  )`;
}
