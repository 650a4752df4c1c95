import { setImmediate as nextTurn } from "node:timers/promises";

/**
 * Characters that are counted at once. A tokenizer takes the square of the length of what it cannot
 * split, as 64 KiB of one letter: 1.8 s. A cut costs a token at most.
 */
const SLICE_CHARACTERS = 512;
/** Slices between which everybody else has a turn. */
const SLICES_AT_ONCE = 64;

/**
 * Counts the tokens of texts, in the order given, until they are more than `budget`: how many texts
 * fit, and what they take. The tokenizer is o200k, for models with another one too; it is loaded by
 * the first call that needs it, which is none whose bytes are no more than `budget`, as a token is a
 * byte at least.
 */
export async function fitTexts(
  texts: Iterable<string>,
  budget: number,
): Promise<{ fitting: number; tokens: number }> {
  const all = [...texts];
  const bytes = all.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  if (bytes <= budget) return { fitting: all.length, tokens: bytes };
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  let tokens = 0;
  let slices = 0;
  for (const [fitting, text] of all.entries()) {
    const before = tokens;
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
      const slice = text.slice(at, at + SLICE_CHARACTERS);
      // What looks like a control token is text like any other.
      tokens += countTokens(slice, { disallowedSpecial: new Set() });
      if (tokens > budget) return { fitting, tokens: before };
      if (++slices % SLICES_AT_ONCE === 0) await nextTurn();
    }
  }
  return { fitting: all.length, tokens };
}
