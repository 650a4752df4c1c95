import { documentParts, type Queryable } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { selectRows } from "../data-access/select-rows.ts";
import { findNearWords } from "./near-words.ts";
import { misspeltOf, type QueryTerm } from "./query-terms.ts";

/** Parts with a term that are read at most: a term that has more says little. */
export const MAX_MATCHES = 1000;
/** Words of a query that are taken for misspelt. */
const MAX_MISSPELT = 3;

const raw = (number: number): SQL => sql.raw(String(number));

/** A term that some part has. */
export interface CountedTerm extends QueryTerm {
  /** Parts of the data sources with the term, as far as they are counted. */
  readonly count: number;
}

async function countEach(
  db: Queryable,
  { terms, inViews }: { terms: readonly QueryTerm[]; inViews: SQL },
): Promise<CountedTerm[]> {
  if (terms.length === 0) return [];
  const counts = terms.map(
    ({ query }) => sql`(select count(*)::int from (
      select from ${documentParts} where ${documentParts.words} @@ (${inViews} && ${query})
      limit ${raw(MAX_MATCHES + 1)}) matched)`,
  );
  // A query without lexemes would match every part of the views.
  const empty = terms.map(({ query }) => sql`numnode(${query}) = 0`);
  const [row] = await selectRows<{ counts: number[]; empty: boolean[] }>(
    db,
    sql`
    select array[${sql.join(counts, sql`, `)}] as counts, array[${sql.join(empty, sql`, `)}] as empty`,
  );
  return terms.flatMap((term, index) => {
    const count = row?.counts[index] ?? 0;
    return count === 0 || row?.empty[index] === true ? [] : [{ ...term, count }];
  });
}

/**
 * Counts the terms that parts of the data sources have; with words of parts in place of the grams of words that no part has,
 * where these are near.
 */
export async function countTerms(
  db: Queryable,
  { terms, inViews }: { terms: readonly QueryTerm[]; inViews: SQL },
): Promise<readonly CountedTerm[]> {
  const counted = await countEach(db, { terms, inViews });
  const misspelt = misspeltOf(counted);
  const near: CountedTerm[] = [];
  const replaced = new Set<CountedTerm>();
  for (const term of misspelt.slice(0, MAX_MISSPELT)) {
    // oxlint-disable-next-line no-await-in-loop -- few, on one connection of the search
    const nearest = await findNearWords(db, { term, inViews });
    // oxlint-disable-next-line no-await-in-loop -- the same
    near.push(...(await countEach(db, { terms: nearest, inViews })));
    if (nearest.length > 0) replaced.add(term);
  }
  return [...counted.filter((term) => !replaced.has(term)), ...near];
}
