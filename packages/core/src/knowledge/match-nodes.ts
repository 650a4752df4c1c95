import { dataSourceNodes } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/** Matches that are ranked at most, the newest of them: a common word may be in every text. */
export const MAX_RANKED = 1000;

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

/** The condition that a title begins with a text, in any case. */
export function titleBegins(start: string): SQL {
  const escaped = start.replaceAll(/[\\%_]/g, String.raw`\$&`);
  return sql`lower(${dataSourceNodes.title}) like lower(${escaped}) || '%'`;
}
