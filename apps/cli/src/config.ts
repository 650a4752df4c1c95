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
  const lines = result.error.issues.map((issue) => `  ${issue.path.join(".")}: ${issue.message}`);
  throw new BadConfiguration(["Bad configuration:", ...lines].join("\n"));
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
