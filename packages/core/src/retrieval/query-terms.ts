import { type SQL, sql } from "drizzle-orm";
import { type GramTerm, gramTerms, piecesOf } from "./grams.ts";
import { configurations, isStopWord } from "./languages.ts";

/** Words and grams of a query that are looked for: each is a look into the index. */
const MAX_WORDS = 12;
const MAX_GRAMS = 24;

/** One of the things that a query looks for. */
export interface QueryTerm {
  /** Whether it is a word of the query, or grams of one. */
  readonly kind: "word" | "grams";
  /** A `tsquery`; empty for a word that says nothing in any language. */
  readonly query: SQL;
  readonly weight: number;
  /** Of a word, its text; of grams, the word that may be misspelt. */
  readonly text?: string | undefined;
  /** Whether these are grams of a word that may be misspelt. */
  readonly isMisspelt?: boolean | undefined;
}

/** What a query looks for: its words, frequent ones aside if it has others, and the grams of codes and of words. */
export function termsOf(query: string): QueryTerm[] {
  const pieces = piecesOf(query);
  const words = pieces.filter(({ kind }) => kind !== "unspaced");
  const telling = words.filter(({ text }) => !isStopWord(text));
  const texts = (telling.length > 0 ? telling : words).map(({ text }) => text);
  const ofWords = [...new Set(texts)].slice(0, MAX_WORDS).map((text): QueryTerm => {
    return { kind: "word", query: inAllLanguages(text), weight: 1, text };
  });
  const looked = telling.length > 0 ? pieces.filter(({ text }) => !isStopWord(text)) : pieces;
  const pieceTerms = looked
    .flatMap((piece) => gramTerms(piece).map((term) => ({ ...term, piece })))
    .slice(0, MAX_GRAMS);
  return [
    ...ofWords,
    ...pieceTerms.map(({ ways, weight, piece: { kind, text } }): QueryTerm => {
      const grams = sql`${waysOf(ways)}::tsquery`;
      return { kind: "grams", query: grams, weight, text, isMisspelt: kind === "word" };
    }),
  ];
}

/** The terms of words that no part has, but parts have grams of them; `counted` are those that some part has. */
export function misspeltOf<Term extends QueryTerm>(counted: readonly Term[]): Term[] {
  const found = new Set(counted.filter(({ kind }) => kind === "word").map(({ text }) => text));
  return counted.filter(({ isMisspelt, text }) => isMisspelt === true && !found.has(text));
}

/** A part in any language may have the word. */
function inAllLanguages(text: string): SQL {
  const queries = configurations.map(
    (one) => sql`plainto_tsquery(${sql.raw(`'${one}'`)}, ${text}::text)`,
  );
  return sql`(${sql.join(queries, sql` || `)})`;
}

const quote = (lexeme: string): string =>
  `'${lexeme.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;

function waysOf(ways: GramTerm["ways"]): string {
  return ways
    .filter((grams) => grams.length > 0)
    .map((grams) => `(${grams.map(quote).join(" & ")})`)
    .join(" | ");
}
