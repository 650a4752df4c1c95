import type pg from "pg";

/** The rows that were written to a database since `clear`, by what was done to which table. */
export interface Writes {
  clear(): Promise<void>;
  read(): Promise<ReadonlyMap<string, number>>;
}

/** Has the database count what is written to its tables, exactly and at once: its statistics lag. */
export async function countWrites(pool: pg.Pool): Promise<Writes> {
  await pool.query(`
    create table counted_writes (what text not null, count bigint not null);
    create function count_writes() returns trigger language plpgsql as $$
    begin
      insert into counted_writes
        select lower(tg_op) || ' ' || tg_table_name, count(*) from touched;
      return null;
    end $$;
    do $$
    declare
      one text;
    begin
      for one in select tablename from pg_tables
        where schemaname = 'public' and tablename <> 'counted_writes'
      loop
        execute format('create trigger count_inserts after insert on %I
          referencing new table as touched for each statement execute function count_writes()', one);
        execute format('create trigger count_updates after update on %I
          referencing new table as touched for each statement execute function count_writes()', one);
        execute format('create trigger count_deletes after delete on %I
          referencing old table as touched for each statement execute function count_writes()', one);
      end loop;
    end $$`);
  return {
    clear: async () => void (await pool.query("truncate counted_writes")),
    read: async () => {
      const { rows } = await pool.query<{ what: string; count: number }>(
        "select what, sum(count)::int as count from counted_writes group by what order by what",
      );
      return new Map(rows.map(({ what, count }) => [what, count]));
    },
  };
}
