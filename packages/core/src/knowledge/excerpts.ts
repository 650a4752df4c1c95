import { dataSourceNodes } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";
import { SEARCHED_CHARACTERS } from "./match-nodes.ts";

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
