// What services ask for tokens, by their own lists of prices. A model whose price is not published as one number for
// each kind of token has none here: those that differ by the hour or by the kind of file, and names that move on.

/** US dollars for a million tokens, as services print them. */
export interface Listed {
  readonly input: string;
  /** Tokens that came from a cache; the price of `input` without it. */
  readonly cachedInput?: string;
  /** Tokens that were written to a cache; the price of `input` without it. */
  readonly cacheWrite?: string;
  /** Reasoning is billed as output. */
  readonly output: string;
}

/** A price from a day on, until the next one of the model. */
export interface ShippedPrice extends Listed {
  readonly providerId: string;
  readonly modelId: string;
  /** Day in UTC. */
  readonly from: string;
  /** Day from which it is no longer known what the service asks. */
  readonly until?: string;
  /** What all tokens of a call with a longer prompt cost. */
  readonly longPrompts?: Listed & { readonly above: number };
  /** Where the service says so, and when that was read. */
  readonly source: string;
  readonly checkedOn: string;
}

const checkedOn = "2026-11-27";
const openai = {
  providerId: "openai",
  source: "https://developers.openai.com/api/docs/pricing",
  checkedOn,
};
const anthropic = {
  providerId: "anthropic",
  source: "https://platform.claude.com/docs/en/about-claude/pricing",
  checkedOn,
};
const google = {
  providerId: "google_ai_studio",
  source: "https://ai.google.dev/gemini-api/docs/pricing",
  checkedOn,
};

/** Models that make vectors write nothing. */
const openaiVectors = {
  providerId: "openai",
  source: "https://developers.openai.com/api/docs/models/text-embedding-3-large",
  checkedOn: "2026-11-28",
  from: "2024-01-25",
  output: "0",
};

const LONG = 272_000;

/** By model, each model's by day. Caches are written for five minutes at Anthropic, for thirty at OpenAI. */
export const shippedPrices: readonly ShippedPrice[] = [
  {
    ...openai,
    modelId: "gpt-6.2-astra",
    from: "2026-11-17",
    input: "8",
    cachedInput: "0.4",
    cacheWrite: "10",
    output: "40",
    longPrompts: { above: LONG, input: "16", cachedInput: "0.8", cacheWrite: "20", output: "60" },
  },
  {
    ...openai,
    modelId: "gpt-6.1-sol",
    from: "2026-09-29",
    input: "2",
    cachedInput: "0.1",
    cacheWrite: "2.5",
    output: "10",
    longPrompts: { above: LONG, input: "4", cachedInput: "0.2", cacheWrite: "5", output: "15" },
  },
  {
    ...openai,
    modelId: "gpt-6.1-terra",
    from: "2026-10-26",
    input: "1",
    cachedInput: "0.05",
    cacheWrite: "1.25",
    output: "5",
    longPrompts: { above: LONG, input: "2", cachedInput: "0.1", cacheWrite: "2.5", output: "7.5" },
  },
  {
    ...openai,
    modelId: "gpt-6-luna",
    from: "2026-09-22",
    input: "0.1",
    cachedInput: "0.01",
    cacheWrite: "0.125",
    output: "0.5",
    longPrompts: {
      above: LONG,
      input: "0.2",
      cachedInput: "0.02",
      cacheWrite: "0.25",
      output: "0.75",
    },
  },
  {
    ...openai,
    modelId: "gpt-5",
    from: "2025-08-07",
    input: "1.25",
    cachedInput: "0.125",
    output: "10",
  },
  {
    ...openai,
    modelId: "gpt-5-mini",
    from: "2025-08-07",
    input: "0.25",
    cachedInput: "0.025",
    output: "2",
  },
  {
    ...openai,
    modelId: "gpt-4.1",
    from: "2025-04-14",
    input: "2",
    cachedInput: "0.5",
    output: "8",
  },
  {
    ...anthropic,
    modelId: "claude-opus-5-5",
    from: "2026-09-22",
    input: "4",
    cachedInput: "0.2",
    cacheWrite: "5",
    output: "20",
  },
  {
    ...anthropic,
    modelId: "claude-sonnet-5-5",
    from: "2026-09-28",
    input: "2",
    cachedInput: "0.2",
    cacheWrite: "2.5",
    output: "10",
  },
  {
    ...anthropic,
    modelId: "claude-sonnet-5-5",
    from: "2026-10-07",
    input: "2",
    cachedInput: "0.1",
    cacheWrite: "2.5",
    output: "10",
  },
  {
    ...anthropic,
    modelId: "claude-haiku-5-5",
    from: "2026-10-07",
    input: "0.1",
    cachedInput: "0.01",
    cacheWrite: "0.125",
    output: "0.5",
    longPrompts: {
      above: 100_000,
      input: "0.5",
      cachedInput: "0.05",
      cacheWrite: "0.625",
      output: "2.5",
    },
  },
  {
    ...anthropic,
    modelId: "claude-opus-4-5",
    from: "2025-11-24",
    input: "5",
    cachedInput: "0.5",
    cacheWrite: "6.25",
    output: "25",
  },
  {
    ...anthropic,
    modelId: "claude-haiku-4-5",
    from: "2025-10-15",
    input: "1",
    cachedInput: "0.1",
    cacheWrite: "1.25",
    output: "5",
  },
  {
    ...google,
    modelId: "gemini-4-argon",
    from: "2026-10-13",
    input: "2",
    cachedInput: "0.1",
    output: "10",
  },
  {
    ...google,
    modelId: "gemini-4-argon",
    from: "2026-12-01",
    input: "4",
    cachedInput: "0.2",
    output: "20",
  },
  {
    ...google,
    modelId: "gemini-3.8-flash",
    from: "2026-09-02",
    until: "2027-01-01",
    input: "0.75",
    cachedInput: "0.075",
    output: "3.75",
  },
  { ...openaiVectors, modelId: "text-embedding-3-small", input: "0.02" },
  { ...openaiVectors, modelId: "text-embedding-3-large", input: "0.13" },
];
