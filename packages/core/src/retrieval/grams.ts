/**
 * Short pieces of words, by which codes, misspelt words, and texts in scripts that put no space between words are found.
 * They are made here and not by the extension `pg_trgm`: a server may not have it, and where the locale of a database is
 * C it has none for Chinese, Japanese and Thai.
 */

/** Scripts whose words PostgreSQL does not tell apart. */
const UNSPACED = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー`;
const PIECES = new RegExp(
  String.raw`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\p{L}\p{N}])+(?:[-_./](?:(?![${UNSPACED}])[\p{L}\p{N}])+)*`,
  "gu",
);
const IS_UNSPACED = new RegExp(`^[${UNSPACED}]`, "u");
const GRAM = 3;
/** Shorter words are found as words only. */
const MIN_WORD = 5;

/** A piece of a text: of an unspaced script, a code such as `AB-1234`, or a word. */
interface Piece {
  readonly kind: "unspaced" | "code" | "word";
  /** In lower case; of a code, without what connects its parts. */
  readonly letters: readonly string[];
  /** As it stands in the text. */
  readonly text: string;
}

/** The pieces of a text, in order. */
export function piecesOf(text: string): Piece[] {
  return (text.normalize("NFKC").match(PIECES) ?? []).map((piece): Piece => {
    const lower = piece.toLowerCase();
    if (IS_UNSPACED.test(piece))
      return { kind: "unspaced", letters: Array.from(lower), text: piece };
    const letters = Array.from(lower.replaceAll(/[-_./]/g, ""));
    const isCode = /\p{N}/u.test(piece) || letters.length < Array.from(lower).length;
    return { kind: isCode ? "code" : "word", letters, text: piece };
  });
}

/** What stands for a gram among the words of a part: no parsed word begins so. */
const mark = (gram: string): string => `~${gram}`;

function windows(letters: readonly string[], size: number): string[] {
  const grams: string[] = [];
  for (let at = 0; at + size <= letters.length; at++) {
    grams.push(mark(letters.slice(at, at + size).join("")));
  }
  return grams;
}

/** The grams of a part. */
export function gramsOf(text: string): string[] {
  const grams = new Set<string>();
  for (const piece of piecesOf(text)) for (const gram of gramsOfPiece(piece)) grams.add(gram);
  return [...grams];
}

function gramsOfPiece({ kind, letters }: Piece): string[] {
  if (kind === "unspaced") return [...windows(letters, 1), ...windows(letters, 2)];
  if (kind === "code" || letters.length >= MIN_WORD) return windows(letters, GRAM);
  return [];
}

/** What a piece of a query is looked for by: each item is a way, whose grams must all be there. */
export interface GramTerm {
  readonly ways: readonly (readonly string[])[];
  /** How much it says, beside others of the same rarity. */
  readonly weight: number;
}

/** Letters of a word that is also found misspelt. */
const MIN_MISSPELT = 6;

/**
 * The terms of a piece of a query. One misspelt letter is in one half of a word or a code: the other half has all of its
 * grams.
 */
export function gramTerms({ kind, letters }: Piece): GramTerm[] {
  if (kind === "unspaced") {
    const grams = letters.length === 1 ? windows(letters, 1) : windows(letters, 2);
    return grams.map((gram) => ({ ways: [[gram]], weight: 1 }));
  }
  const terms: GramTerm[] = [];
  if (kind === "code" && letters.length >= GRAM) {
    terms.push({ ways: [windows(letters, GRAM)], weight: 1 });
  }
  if (letters.length >= MIN_MISSPELT) {
    const middle = Math.floor(letters.length / 2);
    const grams = (start: number, end?: number) => windows(letters.slice(start, end), GRAM);
    // Two letters that are swapped may be in both halves.
    const apart = [...grams(0, middle - 1), ...grams(middle + 1)];
    terms.push({
      ways: [grams(0, middle), grams(middle), apart],
      weight: 0.3,
    });
  }
  return terms;
}
