import { dataSourceNodes } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/** Matches that are put in order at most: a common word may be in every text. */
export const MAX_MATCHES = 500;

/** Characters at the beginning of a text that are searched, as its index has them. */
export const SEARCHED_CHARACTERS = 65_536;
const MAX_CHARACTER_BYTES = 4;

/**
 * Bytes of the texts whose words are read to rank them. The words of a long text are stored apart: reading
 * them takes 1 to 2 ms (docs/decisions/searches-stay-in-their-views.md).
 */
const RANKED_BYTES = 1024 * 1024;

/** Letters that the beginning of a word must have: shorter ones begin too many. */
const MIN_PREFIX = /[\p{L}\p{N}]{2}$/u;

/** The words of a query as PostgreSQL finds them in texts; null if there are none. */
const wordsOf = (query: string): SQL => sql`nullif(plainto_tsquery('simple', ${query})::text, '')`;

/** The query whose words all match; the last one may be the beginning of a word. Null without words. */
export function allWordsOf(query: string): SQL {
  const ending = MIN_PREFIX.test(query) ? ":*" : "";
  return sql`(${wordsOf(query)} || ${ending}::text)::tsquery`;
}

/** The query of which one word matches. Null without words. */
export function anyWordOf(query: string): SQL {
  return sql`replace(${wordsOf(query)}, ' & ', ' | ')::tsquery`;
}

/** The condition that a node of these views has the words of a query. */
export function hasWords(viewIds: readonly number[], words: SQL): SQL {
  const views = viewIds.map((id) => `'view ${id}'`).join(" | ");
  return sql`${dataSourceNodes.search} @@ (${views}::text::tsquery && ${words})`;
}

/** The condition that a title begins with a text, in any case. */
export function titleBegins(start: string): SQL {
  const escaped = start.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return sql`lower(${dataSourceNodes.title}) like lower(${escaped}) || '%'`;
}

/** How well only the title of a node matches, which is part of its row. */
export function titleRank(words: SQL): SQL<number> {
  const title = sql`setweight(to_tsvector('simple', ${dataSourceNodes.title}), 'A')`;
  return sql<number>`coalesce(ts_rank(${title}, ${words}), 0)`;
}

/** How well a node matches: its words are read. */
export function wordsRank(words: SQL): SQL<number> {
  return sql<number>`coalesce(ts_rank(${dataSourceNodes.search}, ${words}), 0)`;
}

/**
 * Whether a match is among the first in an order whose texts together are small enough to be ranked by
 * their words. The bytes of a text are known without reading it.
 */
export function isAmongRanked(order: SQL): SQL<boolean> {
  const bytes = sql`least(octet_length(${dataSourceNodes.content}),
    ${sql.raw(String(SEARCHED_CHARACTERS * MAX_CHARACTER_BYTES))})`;
  return sql<boolean>`sum(${bytes}) over (order by ${order} rows unbounded preceding)
    <= ${sql.raw(String(RANKED_BYTES))}`;
}

/** A part of a text, and where it begins. */
export interface Excerpt {
  readonly text: string;
  readonly offset: number;
}

/** Characters of an excerpt, and how many of them come before what was found. */
const EXCERPT_CHARACTERS = 2000;
const LEAD_CHARACTERS = 200;
/** Words that are looked for in a text: each reads all of it. */
const MAX_WORDS = 16;

/**
 * The part of the text of a row around the first word of a query, or its beginning. It is cut out by the
 * database, which need not send the whole text.
 */
export function excerptFor(query: string): SQL<Excerpt> {
  const all = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const words = sql.param([...new Set(all)].slice(0, MAX_WORDS));
  const characters = sql.raw(String(SEARCHED_CHARACTERS));
  return sql<Excerpt>`(
    with searched as materialized (
      select left(${dataSourceNodes.content}, ${characters}) as text
    ), lowered as materialized (
      select lower(text) as text from searched
    ), found as materialized (
      select greatest(0, coalesce(min(nullif(strpos(lowered.text, lower(word)), 0)), 1) - 1
        - ${sql.raw(String(LEAD_CHARACTERS))}) as place
      from lowered left join unnest(${words}::text[]) as word on true
    )
    select json_build_object(
      'text', substr(searched.text, place + 1, ${sql.raw(String(EXCERPT_CHARACTERS))}),
      'offset', place)
    from searched, found)`;
}
