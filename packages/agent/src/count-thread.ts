// Runs in a thread, which cannot resolve packages of the workspace: it imports none.
import { countTokens as count } from "gpt-tokenizer/encoding/o200k_base";

/**
 * Characters that are counted at once. The tokenizer's time is quadratic in the length of text that it
 * cannot split (64 KiB of one letter: 1.8 s). A cut adds at most one token.
 */
const SLICE_CHARACTERS = 512;

/** Counts the tokens of texts together. The tokenizer is o200k, also for models with another one. */
export function countTexts(texts: readonly string[]): number {
  let tokens = 0;
  for (const text of texts) {
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
      tokens += count(text.slice(at, at + SLICE_CHARACTERS), { disallowedSpecial: new Set() });
    }
  }
  return tokens;
}

/**
 * Counts the tokens of texts in order until they exceed `budget`, and gives how many texts fit. The
 * tokenizer is o200k, also for models with another one.
 */
export function countFitting({
  texts,
  further = [],
  budget,
}: {
  readonly texts: readonly string[];
  readonly further?: readonly number[];
  readonly budget: number;
}): number {
  let tokens = 0;
  for (const [fitting, text] of texts.entries()) {
    tokens += further[fitting] ?? 0;
    if (tokens > budget) return fitting;
    for (let at = 0; at < text.length; at += SLICE_CHARACTERS) {
      const slice = text.slice(at, at + SLICE_CHARACTERS);
      // Text that looks like a control token is plain text.
      tokens += count(slice, { disallowedSpecial: new Set() });
      if (tokens > budget) return fitting;
    }
  }
  return texts.length;
}
