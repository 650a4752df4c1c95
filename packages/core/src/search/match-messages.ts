import { type Highlight, SEARCHED_CHARACTERS } from "@parley/schema";
import { type SQL, sql } from "drizzle-orm";
import { workspaceWord } from "./index-messages.ts";

/** Letters that the beginning of a word must have: shorter ones begin too many. */
const MIN_PREFIX = /[\p{L}\p{N}]{2}$/u;

// In the text of a query, what ends with a quote ends with a word: after it, `:*` makes the word a prefix.
/** The query of PostgreSQL for what a person typed: the last word may be a prefix. Null without words. */
export function wordsOf(query: string): SQL {
  const ending = MIN_PREFIX.test(query) ? ":*" : "";
  return sql`(
    select (case when typed like '%''' then typed || ${ending}::text else typed end)::tsquery
    from (select nullif(websearch_to_tsquery('simple', ${query})::text, '') as typed) parsed
  )`;
}

/** The condition that words, of a message of a workspace, match a query. */
export function matches(words: SQL, { workspaceId, query }: { workspaceId: number; query: SQL }) {
  const ofWorkspace = sql`quote_literal(${workspaceWord(sql`${workspaceId}::text`)})::tsquery`;
  return sql`${words} @@ (${ofWorkspace} && ${query})`;
}

/** A text that is shown whole, and what is shown of others at most, in characters. */
const WHOLE_CHARACTERS = 300;
const EXCERPT_CHARACTERS = 1000;
/** Characters at the beginning of a text in which words are looked for if the page has too many others. */
const BEGINNING_CHARACTERS = 2000;

const raw = (number: number): SQL => sql.raw(String(number));

/** What marks the beginning and the end of a found word; taken out of texts before. */
const START = "\u{1}";
const END = "\u{2}";

/**
 * The part of the text of a message `m` around what was found, with marks around found words. Of a text that is not
 * `isRead` whole, it is looked for at the beginning only.
 */
export function markedExcerpt(query: SQL, isRead: SQL): SQL<string> {
  const characters = sql`case when ${isRead} then ${raw(SEARCHED_CHARACTERS)}
    else ${raw(BEGINNING_CHARACTERS)} end`;
  const text = sql`translate(left(m.content, ${characters}), ${START + END}, '')`;
  const marks = `StartSel=${START}, StopSel=${END}`;
  // Fragments leave out numbers at their ends.
  const options = sql`case when length(m.content) <= ${raw(WHOLE_CHARACTERS)} then ${`${marks}, HighlightAll=true`}
    else ${`${marks}, MaxFragments=1, MaxWords=40, MinWords=20, ShortWord=0`} end`;
  return sql<string>`left(ts_headline('simple', ${text}, ${query}, ${options}), ${raw(EXCERPT_CHARACTERS)})`;
}

/** An excerpt without its marks, and where they were. */
export function readMarks(marked: string): { excerpt: string; highlights: Highlight[] } {
  const highlights: Highlight[] = [];
  let excerpt = "";
  for (const [index, part] of marked.split(START).entries()) {
    const [found = "", ...rest] = index === 0 ? ["", part] : part.split(END);
    const start = excerpt.length;
    excerpt += found;
    if (found !== "") highlights.push({ start, end: excerpt.length });
    excerpt += rest.join("");
  }
  return { excerpt, highlights };
}
