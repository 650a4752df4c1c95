import path from "node:path";

/**
 * The module that counts tokens: its `countFitting` has the input of `CountFitting`. It may run for a
 * second, so it runs in a thread.
 */
export const countModule = new URL(
  `./count-thread${path.extname(import.meta.url)}`,
  import.meta.url,
).href;

/** Counts how many of the texts, from the first, have at most `budget` tokens together. */
export type CountFitting = (given: CountedTexts) => Promise<number>;

/** Counts the tokens of texts together. */
export type CountTokens = (texts: readonly string[]) => Promise<number>;

/** Texts that should have at most `budget` tokens together. */
export interface CountedTexts {
  readonly texts: readonly string[];
  /** Tokens of what belongs to each text and is none, such as images; none by default. */
  readonly further?: readonly number[];
  readonly budget: number;
}

/**
 * How many of the texts, from the first, fit into `budget` tokens. Texts whose bytes fit are not
 * counted, because a token has at least one byte.
 */
export async function fitTexts(given: CountedTexts, countFitting: CountFitting): Promise<number> {
  const { texts, further = [], budget } = given;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const most = further.reduce((sum, tokens) => sum + tokens, bytes);
  return most <= budget ? texts.length : countFitting(given);
}
