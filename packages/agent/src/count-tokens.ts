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
export type CountFitting = (given: {
  readonly texts: readonly string[];
  readonly budget: number;
}) => Promise<number>;

/**
 * How many of the texts, from the first, fit into `budget` tokens. Texts whose bytes fit are not
 * counted, because a token has at least one byte.
 */
export async function fitTexts(
  texts: readonly string[],
  budget: number,
  countFitting: CountFitting,
): Promise<number> {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  return bytes <= budget ? texts.length : countFitting({ texts, budget });
}
