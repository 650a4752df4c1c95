/**
 * Indexes of vectors (HNSW), where the database has the extension `vector`. A set of vectors that is searched and has many has
 * an index of its own over what is stored anyway, so that nothing is written twice, and exports and migrations know nothing
 * of it. What indexes there are is compared with what there should be from time to time: so they come and go with their
 * sets, with the extension, and after an import.
 */
import type { Database, Queryable } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { selectRows } from "../data-access/select-rows.ts";
import { quantize } from "./quantize.ts";

/** Vectors of a set from which on it has an index; of fewer that the caller reaches, all are compared all the same. */
export const MAX_EXACT_INDEXED = 2000;
/** Indexes of a server: every write of a vector looks at all of them. */
const MAX_INDEXES = 100;
/** The most dimensions that the extension indexes, at two bytes each. */
const MAX_DIMENSIONS = 4000;
/** The first version whose searches continue until the filter has left enough. */
const LEAST_VERSION = [0, 8] as const;
/** Held while a process builds or drops indexes. */
const INDEX_LOCK = 0x7061_7276;

const PREFIX = "part_vectors_hnsw_";
/** Makes a vector of the extension from the bytes of one. */
const CONVERT = "parley_halfvec";

const raw = (number: number): SQL => sql.raw(String(number));
const nameOf = (setId: number): string => `${PREFIX}${setId}`;

/** The schema of the extension if a set has an index that can be searched, else null. */
export const indexSchemaOf = (setId: SQL): SQL<string | null> => sql`(
  select n.nspname::text from pg_index i
  join pg_opclass o on o.oid = i.indclass[0] join pg_namespace n on n.oid = o.opcnamespace
  where i.indexrelid = to_regclass(${`public.${PREFIX}`}::text || ${setId}) and i.indisvalid)`;

/** The condition that a set with an index is searched. */
export const hasIndexedSet: SQL<boolean> = sql`exists (
  select from embedding_sets s where s.status = 'current' and ${indexSchemaOf(sql`s.id`)} is not null)`;

/** How vectors of a set are written in its index. */
interface Indexed {
  readonly setId: number;
  readonly dimensions: number;
  readonly schema: string;
}

/** The vector of the index, of the rows of `part_vectors` called so. */
function indexedVector({ dimensions, schema }: Indexed, of: SQL): SQL {
  return sql`public.${sql.identifier(CONVERT)}(${of})::${sql.identifier(schema)}.halfvec(${raw(dimensions)})`;
}

// Numbers stand in the text, for PostgreSQL compares this with the condition of the index when it plans.
const isIndexed = ({ setId, dimensions }: Indexed, v: SQL): SQL =>
  sql`${v}set_id = ${raw(setId)} and length(${v}vector) = ${raw(dimensions)}`;

/** The condition, and the order, of the rows `v` of `part_vectors` by which a search reads the index. */
export function readIndex(of: Indexed, vector: readonly number[]): { condition: SQL; order: SQL } {
  const schema = sql.identifier(of.schema);
  const given = sql`${`[${quantize(vector).join(",")}]`}::${schema}.halfvec(${raw(of.dimensions)})`;
  return {
    condition: isIndexed(of, sql`v.`),
    order: sql`${indexedVector(of, sql`v.vector`)} operator(${schema}.<=>) ${given}`,
  };
}

interface Differences {
  /** The schema of the extension, if the database has one that can be used. */
  readonly schema: string | null;
  /** Indexes that are broken, or whose set is not searched any more. */
  readonly surplus: readonly string[];
  /** Sets that should have an index. */
  readonly missing: readonly { readonly id: number; readonly dimensions: number }[];
}

async function findDifferences(db: Queryable, least: number): Promise<Differences> {
  const version = sql`string_to_array(substring(e.extversion from '^\\d+\\.\\d+'), '.')::int[]`;
  const [found] = await selectRows<Differences>(
    db,
    sql`
    with extension as materialized (
      select n.nspname::text as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
      where e.extname = 'vector' and ${version} >= array[${raw(LEAST_VERSION[0])}, ${raw(LEAST_VERSION[1])}]
    ),
    present as materialized (
      select c.relname::text as name, i.indisvalid as is_valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'public.part_vectors'::regclass and starts_with(c.relname, ${PREFIX})
    ),
    surplus as materialized (
      select name from present where not is_valid or not exists (
        select from embedding_sets s where ${PREFIX}::text || s.id = present.name and s.status = 'current')
    ),
    missing as (
      select s.id::float8 as id, s.dimensions from embedding_sets s
      where exists (select from extension) and s.status = 'current' and s.dimensions <= ${raw(MAX_DIMENSIONS)}
        and not exists (select from present where name = ${PREFIX}::text || s.id and is_valid)
        and (select count(*) from (
          select from part_vectors v where v.set_id = s.id limit ${raw(least + 1)}) counted) > ${raw(least)}
      order by s.id
      limit greatest(0, ${raw(MAX_INDEXES)} - (select count(*) from present) + (select count(*) from surplus))
    )
    select (select schema from extension) as schema,
      (select coalesce(json_agg(name), '[]') from surplus) as surplus,
      (select coalesce(json_agg(missing), '[]') from missing) as missing`,
  );
  return found ?? { schema: null, surplus: [], missing: [] };
}

/**
 * Builds the indexes that are missing and drops those that nothing searches any more, one process at a time, and gives how
 * many these are. Writes go on meanwhile.
 */
export async function indexVectors(
  { database }: { readonly database: Database },
  signal: AbortSignal,
  least: number = MAX_EXACT_INDEXED,
): Promise<number> {
  const { surplus, missing } = await findDifferences(database.slow.db, least);
  if (surplus.length === 0 && missing.length === 0) return 0;
  return database.maintain(signal, async (db) => {
    const lock = sql`select pg_try_advisory_lock(${INDEX_LOCK}) as is_held`;
    const [row] = await selectRows<{ is_held: boolean }>(db, lock);
    // A builder whose process is gone holds it, too, until its index is built.
    if (row?.is_held !== true) return 0;
    try {
      return await settle(db, await findDifferences(db, least));
    } finally {
      await db.execute(sql`select pg_advisory_unlock(${INDEX_LOCK})`).catch(() => {});
    }
  });
}

async function settle(db: Queryable, { schema, surplus, missing }: Differences): Promise<number> {
  for (const name of surplus) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other, each without blocking others
    await db.execute(sql`drop index concurrently if exists public.${sql.identifier(name)}`);
  }
  if (schema === null) return surplus.length;
  await ensureConversion(db, schema);
  for (const { id, dimensions } of missing) {
    const of = { setId: id, dimensions, schema };
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as each takes what memory there is for it
    await db.execute(sql`
      create index concurrently if not exists ${sql.identifier(nameOf(id))} on public.part_vectors
      using hnsw ((${indexedVector(of, sql`vector`)}) ${sql.identifier(schema)}.halfvec_cosine_ops)
      where ${isIndexed(of, sql``)}`);
  }
  return surplus.length + missing.length;
}

/** Creates the function that the indexes are on; it goes with the extension. */
async function ensureConversion(db: Queryable, schema: string): Promise<void> {
  const isThere = sql`select to_regprocedure(${`public.${CONVERT}(bytea)`}) is not null as is_there`;
  const [row] = await selectRows<{ is_there: boolean }>(db, isThere);
  if (row?.is_there === true) return;
  const halfvec = sql`${sql.identifier(schema)}.halfvec`;
  // The cost keeps PostgreSQL from converting all vectors and sorting them.
  await db.execute(sql`
    create function public.${sql.identifier(CONVERT)}(vector bytea) returns ${halfvec}
    language sql immutable strict parallel safe cost 10000
    return (
      select array_agg((get_byte(vector, nth) + 128) % 256 - 128 order by nth)
      from generate_series(0, length(vector) - 1) as nth
    )::${halfvec}`);
}
