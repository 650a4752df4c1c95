import * as z from "zod";

const BenchSettings = z.object({
  DATABASE_URL: z
    .url({ protocol: /^postgres(?:ql)?$/ })
    .optional()
    .describe("PostgreSQL to measure on, in databases that are made for the run and dropped"),
});

/** Reads the settings from the environment; an empty variable counts as unset. Throws on bad ones. */
export function readSettings(environment: NodeJS.ProcessEnv = process.env) {
  const { DATABASE_URL: url } = environment;
  return BenchSettings.parse({ DATABASE_URL: url === "" ? undefined : url });
}

/** The settings of a server by which it reaches the models of a provider, as they are in the environment. */
export function readModelSettings(
  providerId: string,
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const prefix = `PARLEY_${providerId.toUpperCase()}_`;
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value = ""]) =>
      name.startsWith(prefix) && value !== "" ? [[name, value] as const] : [],
    ),
  );
}
