import { ApiSettings } from "@parley/api/config";
import { WorkerSettings } from "@parley/worker/config";
import * as z from "zod";

const key = (description: string) =>
  z
    .string()
    .regex(/^sk-[A-Za-z0-9\-._~+/]+=*$/, { error: "must begin with sk- and hold no spaces" })
    .optional()
    .describe(description);

/** Every setting of `parley serve`, by the name of its environment variable. */
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
  PARLEY_DATABASE_POOL: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(16)
    .describe("Connections to PostgreSQL"),
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
