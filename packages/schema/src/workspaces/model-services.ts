import * as z from "zod";

/** A service that models run on. */
interface ModelServiceRow {
  /** Display name. */
  readonly name: string;
  /** Whether the deployment runs it itself: it needs a URL, and maybe no key. */
  readonly isSelfHosted: boolean;
}

/**
 * Every service that models run on, by the id of its provider. Credentials, settings and adapters
 * derive from this table; `packages/agent/src/providers/open-model.ts` says how each is called.
 */
export const modelServices = {
  openai: { name: "OpenAI", isSelfHosted: false },
  anthropic: { name: "Anthropic", isSelfHosted: false },
  mistral: { name: "Mistral", isSelfHosted: false },
  google_ai_studio: { name: "Google AI Studio", isSelfHosted: false },
  deepseek: { name: "DeepSeek", isSelfHosted: false },
  fireworks: { name: "Fireworks", isSelfHosted: false },
  xai: { name: "xAI", isSelfHosted: false },
  openai_compatible: { name: "your own server", isSelfHosted: true },
} as const satisfies Record<string, ModelServiceRow>;

export const ModelService = z.enum(
  Object.keys(modelServices) as readonly (keyof typeof modelServices)[],
);
export type ModelService = z.infer<typeof ModelService>;

/** A service that others run, which requires a key. */
export type HostedService = {
  [S in ModelService]: (typeof modelServices)[S]["isSelfHosted"] extends true ? never : S;
}[ModelService];

/** The ids of the services that others run. */
export const hostedServices: readonly HostedService[] = ModelService.options.filter(
  (id): id is HostedService => !modelServices[id].isSelfHosted,
);
