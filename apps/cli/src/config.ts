import { ApiSettings } from "@parley/api/config";
import { WorkerSettings } from "@parley/worker/config";
import * as z from "zod";

const key = (description: string) =>
  z
    .string()
    .regex(/^sk-[A-Za-z0-9\-._~+/]+=*$/, { error: "must begin with sk- and hold no spaces" })
    .optional()
    .describe(description);

/** The keys as bytes, the newest first. */
const encryptionKeys = z
  .string()
  .transform((value) => value.split(",").map((one) => one.trim()))
  .refine((keys) => keys.every((one) => /^[A-Za-z0-9+/]{43}=$/.test(one)), {
    error: "must be 32 bytes in base64, or several of them with commas in between",
  })
  .transform((keys) => keys.map((one) => Buffer.from(one, "base64")))
  .optional();

/** Every setting of the server's processes, by the name of its environment variable. */
export const Settings = z.object({
  ...ApiSettings.shape,
  ...WorkerSettings.shape,
  PARLEY_DATA_DIR: z
    .string()
    .min(1)
    .default(".parley")
    .describe("Directory of the embedded database and of demo.json"),
  DATABASE_URL: z
    .url({ protocol: /^postgres(?:ql)?$/ })
    .optional()
    .describe("PostgreSQL to use in place of the embedded database"),
  PARLEY_ENCRYPTION_KEY: encryptionKeys.describe(
    "Encrypts workspaces' credentials: 32 bytes in base64; older keys behind it, after commas",
  ),
  PARLEY_DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(16)
    .describe("Connections to PostgreSQL"),
  REDIS_URL: z
    .url({ protocol: /^rediss?$/ })
    .optional()
    .describe("Redis or Valkey that carries hints between processes, and counts calls for all"),
  PARLEY_REDIS_PREFIX: z
    .string()
    .regex(/^[\w.-]{1,64}$/, { error: "must be 1 to 64 letters, digits, dots, hyphens" })
    .default("parley")
    .describe("Begins the names of channels and counters in Redis: one for each server"),
  PARLEY_SHUTDOWN_DELAY_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(60_000)
    .optional()
    .describe(
      "How long after a signal to stop requests are still taken while /readyz answers 503, " +
        "in milliseconds; 3000 for parley api by default, else 0",
    ),
  PARLEY_SHUTDOWN_PATIENCE_MS: z.coerce
    .number()
    .int()
    .min(0)
    .max(600_000)
    .default(5000)
    .describe("How long runs and streams may go on after a signal to stop, in milliseconds"),
  PARLEY_METRICS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe("Port of /metrics, for Prometheus; 0 takes any free one, without it there is none"),
  PARLEY_METRICS_HOST: z
    .string()
    .default("127.0.0.1")
    .describe("Address that /metrics listens on; it asks for no key"),
  PARLEY_LOG_LEVEL: z
    .enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"])
    .default("info")
    .describe("Least level of what is logged, to standard error"),
  PARLEY_ADMIN_KEY: key("Admin key of the demo workspace; made up by default"),
  PARLEY_USER_KEY: key("User key of the demo workspace; made up by default"),
  PARLEY_OPERATOR_KEY: key("Operator key of the server; made up for a demo by default"),
});
export type Settings = z.output<typeof Settings>;

/** The settings cannot be used; the message lists every bad key. */
export class BadConfiguration extends Error {
  override readonly name = "BadConfiguration";
}

/** Reads the settings from the environment; an empty variable counts as unset. */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const set = Object.entries(environment).filter(([, value]) => value !== "");
  const result = Settings.safeParse(Object.fromEntries(set));
  if (result.success) return result.data;
  throw badConfiguration(result.error);
}

/** One row per setting: its name, its default as text, what it is. */
export function describeSettings(): { name: string; byDefault: string; description: string }[] {
  const defaults = Settings.parse({}) as Record<string, unknown>;
  return Object.entries(Settings.shape).map(([name, schema]) => ({
    name,
    byDefault: String(defaults[name] ?? ""),
    description: schema.description ?? "",
  }));
}

/** Where a running server is, and as whom it is asked. The key is never an argument: those show. */
const ServerSettings = z.object({
  PARLEY_URL: z.url({ protocol: /^https?$/ }),
  PARLEY_WORKSPACE_ID: z.string(),
  PARLEY_API_KEY: z.string(),
});

/** Reads which server to ask; arguments win. Throws `BadConfiguration`. */
export function readServerSettings(
  given: { url?: string | undefined; workspace?: string | undefined },
  environment: NodeJS.ProcessEnv = process.env,
): { baseUrl: string; workspaceId: string; apiKey: string } {
  const result = ServerSettings.safeParse({
    PARLEY_URL: given.url ?? environment.PARLEY_URL,
    PARLEY_WORKSPACE_ID: given.workspace ?? environment.PARLEY_WORKSPACE_ID,
    PARLEY_API_KEY: environment.PARLEY_API_KEY,
  });
  if (!result.success) throw badConfiguration(result.error);
  const { PARLEY_URL: baseUrl, PARLEY_WORKSPACE_ID: workspaceId } = result.data;
  return { baseUrl, workspaceId, apiKey: result.data.PARLEY_API_KEY };
}

function badConfiguration({ issues }: z.ZodError): BadConfiguration {
  const lines = issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  return new BadConfiguration(["Bad configuration:", ...lines].join("\n"));
}
