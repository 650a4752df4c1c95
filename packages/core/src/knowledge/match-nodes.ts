import { dataSourceNodes } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/** Matches that are ranked at most: a common word may be in every text, and ranking reads all of its words. */
export const MAX_RANKED = 500;

/** Letters that the beginning of a word must have: shorter ones begin too many. */
const MIN_PREFIX = /[\p{L}\p{N}]{2}$/u;

/** The words of a query as PostgreSQL finds them in texts; null where there are none. */
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
