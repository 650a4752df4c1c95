/**
 * Words of parts that a misspelt word of a query may stand for. Grams find parts in which such a word may be; which words these
 * parts have says whether it is. So a part is not taken for one because grams of several of its words happen to be those of the query.
 */
import { documentParts, type Queryable } from "@parley/db";
import leven from "leven";
import { type SQL, sql } from "drizzle-orm";
import { selectRows } from "../data-access/select-rows.ts";
import { configurations } from "./languages.ts";
import type { QueryTerm } from "./query-terms.ts";

/** Parts that may have the word whose words are read, and the bytes of these as they are stored. */
const MAX_READ = 4000;
const MAX_READ_BYTES = 8_388_608;
/** Words that are compared: 20,000 take about 50 ms of the process that others wait for. */
const MAX_COMPARED = 20_000;
/** Letters by which a word may differ: two that are swapped are two. */
const MAX_DISTANCE = 2;
/** Words that one may stand for. */
const MAX_NEAR = 3;
/** What such a word says, beside one that is found as it is. */
const WEIGHT = 0.5;

/** Finds the words of parts that are nearest to a word that no part has: terms in place of its grams. */
export async function findNearWords(
  db: Queryable,
  { term, inViews }: { readonly term: QueryTerm; readonly inViews: SQL },
): Promise<QueryTerm[]> {
  const { forms, lexemes } = await readLexemes(db, term, inViews);
  return nearestOf(forms, lexemes).map((lexeme) => {
    return { kind: "word", query: sql`quote_literal(${lexeme}::text)::tsquery`, weight: WEIGHT };
  });
}

interface Read {
  /** The word, and its stems. */
  readonly forms: readonly string[];
  /** The words of parts with its grams. */
  readonly lexemes: readonly string[];
}

async function readLexemes(db: Queryable, term: QueryTerm, inViews: SQL): Promise<Read> {
  const { text = "", query } = term;
  const { words } = documentParts;
  const stems = configurations.map(
    (one) => sql`to_tsvector(${sql.raw(`'${one}'`)}, ${text}::text)`,
  );
  const longest = text.length + MAX_DISTANCE;
  // Grams have no places in the text, by which the filter leaves words alone.
  const [row] = await selectRows<Read>(
    db,
    sql`
    with matching as materialized (
      select ${words} as words, pg_column_size(${words}) as bytes from ${documentParts}
      where ${words} @@ (${inViews} && ${query})
      limit ${sql.raw(String(MAX_READ))}
    ),
    likely as materialized (
      select words from (select *, sum(bytes) over (rows unbounded preceding) as so_far from matching) counted
      where so_far <= ${sql.raw(String(MAX_READ_BYTES))}
    ),
    lexeme as (
      select distinct word from likely, unnest(tsvector_to_array(ts_filter(words, '{a,d}'))) as word
      where length(word) between 4 and ${longest}::int
      limit ${sql.raw(String(MAX_COMPARED))}
    )
    select tsvector_to_array(${sql.join(stems, sql` || `)}) as forms, array(select word from lexeme) as lexemes`,
  );
  return row ?? { forms: [], lexemes: [] };
}

/** The lexemes that differ from one of the forms by the fewest letters, if these are few. */
export function nearestOf(forms: readonly string[], lexemes: readonly string[]): string[] {
  const distances = lexemes.map((lexeme) => {
    const of = forms.map((form) => leven(form, lexeme, { maxDistance: MAX_DISTANCE + 1 }));
    return { lexeme, distance: Math.min(...of) };
  });
  const near = distances.filter(({ distance }) => distance <= MAX_DISTANCE);
  const least = Math.min(...near.map(({ distance }) => distance));
  const nearest = near.filter(({ distance }) => distance === least);
  return nearest
    .map(({ lexeme }) => lexeme)
    .toSorted()
    .slice(0, MAX_NEAR);
}
