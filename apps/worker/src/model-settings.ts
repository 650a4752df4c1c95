import * as z from "zod";

const url = (description: string) =>
  z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(description);
const apiKey = (name: string) =>
  z.string().min(1).max(4096).optional().describe(`Credential for ${name}`);
const baseUrl = (name: string) => url(`Address of ${name}'s API, in place of its own`);

/** Settings of the services that models run on, by the name of their environment variable. */
export const modelSettings = {
  PARLEY_OPENAI_API_KEY: apiKey("OpenAI"),
  PARLEY_OPENAI_BASE_URL: baseUrl("OpenAI"),
  PARLEY_ANTHROPIC_API_KEY: apiKey("Anthropic"),
  PARLEY_ANTHROPIC_BASE_URL: baseUrl("Anthropic"),
  PARLEY_MISTRAL_API_KEY: apiKey("Mistral"),
  PARLEY_MISTRAL_BASE_URL: baseUrl("Mistral"),
  PARLEY_GOOGLE_AI_STUDIO_API_KEY: apiKey("Google AI Studio"),
  PARLEY_GOOGLE_AI_STUDIO_BASE_URL: baseUrl("Google AI Studio"),
  PARLEY_DEEPSEEK_API_KEY: apiKey("DeepSeek"),
  PARLEY_DEEPSEEK_BASE_URL: baseUrl("DeepSeek"),
  PARLEY_FIREWORKS_API_KEY: apiKey("Fireworks"),
  PARLEY_FIREWORKS_BASE_URL: baseUrl("Fireworks"),
  PARLEY_XAI_API_KEY: apiKey("xAI"),
  PARLEY_XAI_BASE_URL: baseUrl("xAI"),
  PARLEY_OPENAI_COMPATIBLE_URL: url(
    "Address of a server that speaks OpenAI's chat completions, up to /v1; none by default",
  ),
  PARLEY_OPENAI_COMPATIBLE_API_KEY: apiKey("that server, if it wants one"),
  PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS: z.coerce
    .number()
    .int()
    .min(1000)
    .max(100_000_000)
    .default(32_000)
    .describe("Tokens of prompt and answer together that the models of that server take"),
  PARLEY_TITLE_MODEL: z
    .string()
    .regex(/^[^/]+\/.+$/, { error: "must be a provider and its model, as openai/gpt-5-mini" })
    .optional()
    .describe("Model that gives conversations their titles, as openai/gpt-5-mini; none by default"),
  PARLEY_MODEL_IDLE_MS: z.coerce
    .number()
    .int()
    .min(10)
    // The HTTP client gives up after 300 s by itself.
    .max(290_000)
    .default(120_000)
    .describe("How long a model's provider may be silent, in milliseconds"),
  PARLEY_MODEL_RETRIES: z.coerce
    .number()
    .int()
    .min(0)
    .max(10)
    .default(3)
    .describe("How often a call that failed before its first token is tried again"),
} as const;
