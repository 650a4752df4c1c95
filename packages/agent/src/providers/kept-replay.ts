import type { Replay } from "./call-options.ts";

/**
 * What of a finished step's replay is worth keeping for later turns; undefined for nothing. Signed or encrypted
 * reasoning is: Anthropic's newer models and Gemini read it again, OpenAI and xAI take it, and with it the
 * next turn begins with the same bytes, which caches need. Reasoning that is plain text is not: models of
 * Mistral, DeepSeek and Fireworks are to think again after each question, and none refuses a call without it.
 */
export function keptReplay(replay: unknown): unknown {
  // As `readStep` wrote it, or an older version of it.
  const { reasoning = [], calls = {} } = (replay ?? {}) as Partial<Replay>;
  const signed = reasoning.filter(({ options }) => options !== undefined);
  if (signed.length === 0 && Object.keys(calls).length === 0) return undefined;
  return { reasoning: signed, calls } satisfies Replay;
}
