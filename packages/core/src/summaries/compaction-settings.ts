/** When the oldest messages of a conversation are summarised, and what stays as it is. */
import type { StoredCompaction } from "@parley/db";
import { COMPACTION_DEFAULTS } from "@parley/schema";

/** An agent's settings, with the defaults. */
export interface CompactionSettings {
  readonly startsAtPercent: number;
  readonly keepsMessages: number;
}

/** Positions after the summary from which one is due, however short: a prompt has at most 500 of them. */
const MAX_POSITIONS = 400;

/** What the end of a turn tells of its last prompt. */
export interface FilledPrompt {
  /** Tokens of the prompt, and those that the model takes. */
  readonly tokens: number;
  readonly contextTokens: number;
  /** Positions between the summary in it and the answer. */
  readonly positions: number;
}

/** The settings of an agent; undefined if it does not summarise. Models without a tokenizer do if it says so. */
export function compactionOf(
  stored: StoredCompaction | null,
  { countsTokens }: { readonly countsTokens: boolean },
): CompactionSettings | undefined {
  const { enabled = countsTokens, startsAtPercent, keepsMessages } = stored ?? {};
  if (!enabled) return undefined;
  return {
    startsAtPercent: startsAtPercent ?? COMPACTION_DEFAULTS.startsAtPercent,
    keepsMessages: keepsMessages ?? COMPACTION_DEFAULTS.keepsMessages,
  };
}

/** Whether a prompt was so full that the oldest messages are to be summarised. */
export function isCompactionDue(
  { tokens, contextTokens, positions }: FilledPrompt,
  { startsAtPercent }: CompactionSettings,
): boolean {
  return tokens * 100 > contextTokens * startsAtPercent || positions > MAX_POSITIONS;
}
