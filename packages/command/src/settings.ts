import type * as z from "zod";
import {
  badConfiguration,
  describeIssue,
  describeRight,
  describeUnknownNames,
} from "./setting-faults.ts";

/**
 * Reads settings from an environment; a blank variable counts as unset. A name that begins as a setting must be one of
 * `names`. Throws `BadConfiguration`.
 */
export function readSettingsOf<S extends z.ZodObject>(
  schema: S,
  environment: NodeJS.ProcessEnv,
  names: readonly string[],
): z.output<S> {
  const values = setValuesOf(environment);
  const unknown = describeUnknownNames(values, names);
  const result = schema.safeParse(values, { error: describeRight });
  if (result.success && unknown.length === 0) return result.data;
  const issues = result.error?.issues ?? [];
  throw badConfiguration([...unknown, ...issues.map((issue) => describeIssue(issue, values))]);
}

/** The variables of an environment that are not blank. */
export const setValuesOf = (environment: NodeJS.ProcessEnv): Record<string, string | undefined> =>
  Object.fromEntries(Object.entries(environment).filter(([, value = ""]) => value.trim() !== ""));

/** A setting for readers: its name, its default as text, its description. */
export interface DescribedSetting {
  readonly name: string;
  readonly byDefault: string;
  readonly description: string;
}

/** A row for each setting of a schema. */
export function describeSettingsOf(schema: z.ZodObject): DescribedSetting[] {
  const defaults = schema.parse({});
  return Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, one]) => ({
    name,
    byDefault: String(defaults[name] ?? ""),
    description: one.description ?? "",
  }));
}

/** The lines of settings in the help of a command. */
export const renderSettings = (settings: readonly DescribedSetting[]): string =>
  settings
    .map(
      ({ name, byDefault, description }) =>
        `  ${name}\n      ${description}${byDefault && ` (default: ${byDefault})`}`,
    )
    .join("\n");
