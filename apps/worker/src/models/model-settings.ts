import { FileKind, type HostedService, hostedServices, modelServices } from "@parley/schema";
import * as z from "zod";

/** A setting that is an integer. */
export const integer = (min: number, max: number) => z.coerce.number().int().min(min).max(max);

const url = (description: string) =>
  z
    .url({ protocol: /^https?$/, error: "it must be a URL, such as https://models.example.com/v1" })
    .optional()
    .describe(description);
const apiKey = (name: string) =>
  z.string().min(1).max(4096).optional().describe(`Credential for ${name}`);
const baseUrl = (name: string) => url(`URL of ${name}'s API, instead of the default`);

type HostedSettings = {
  [S in HostedService as `PARLEY_${Uppercase<S>}_API_KEY`]: ReturnType<typeof apiKey>;
} & {
  [S in HostedService as `PARLEY_${Uppercase<S>}_BASE_URL`]: ReturnType<typeof baseUrl>;
};

/** The names of the settings of a hosted service. */
export function settingsOf(service: HostedService) {
  // The type of `toUpperCase` is wider.
  const name = service.toUpperCase() as Uppercase<HostedService>;
  return { apiKey: `PARLEY_${name}_API_KEY`, baseUrl: `PARLEY_${name}_BASE_URL` } as const;
}

const hostedSettings = Object.fromEntries(
  hostedServices.flatMap((service) => {
    const names = settingsOf(service);
    const { name } = modelServices[service];
    return [
      [names.apiKey, apiKey(name)],
      [names.baseUrl, baseUrl(name)],
    ];
  }),
) as HostedSettings;

/** Settings of the services that models run on, by the name of their environment variable. */
export const modelSettings = {
  ...hostedSettings,
  PARLEY_OPENAI_COMPATIBLE_URL: url(
    "URL of a server with OpenAI's chat completions API, up to /v1; none by default",
  ),
  PARLEY_OPENAI_COMPATIBLE_API_KEY: apiKey("that server, if it requires one"),
  PARLEY_OPENAI_COMPATIBLE_CONTEXT_TOKENS: integer(1000, 100_000_000)
    .default(32_000)
    .describe("Context window of that server's models, in tokens"),
  PARLEY_OPENAI_COMPATIBLE_TAKES: z
    .string()
    .default("")
    .transform((value) => value.split(",").flatMap((kind) => kind.trim() || []))
    .pipe(
      z.array(FileKind, {
        error: "it must be image, pdf or audio, or several of them separated by commas",
      }),
    )
    .describe(
      "Files that the models of that server take as they are, such as image,pdf; none by default",
    ),
  PARLEY_MODEL_FILE_BYTES: integer(16 * 1024 * 1024, 16 * 1024 * 1024 * 1024)
    .default(64 * 1024 * 1024)
    .describe(
      "Bytes of images and files that a worker's requests to models hold at once; further requests wait",
    ),
  PARLEY_TITLE_MODEL: z
    .string()
    .regex(/^[^/]+\/.+$/, {
      error: "it must be a provider and its model, such as openai/gpt-5-mini",
    })
    .optional()
    .describe(
      "Model that writes the titles of conversations, such as openai/gpt-5-mini; none by default",
    ),
  // The HTTP client gives up after 300 s by itself.
  PARLEY_MODEL_IDLE_MS: integer(10, 290_000)
    .default(120_000)
    .describe("How long a model provider may be silent, in milliseconds"),
  PARLEY_MODEL_RETRIES: integer(0, 10)
    .default(3)
    .describe("How often a call that failed before its first token is retried"),
} as const;

export type ModelSettings = z.output<z.ZodObject<typeof modelSettings>>;
