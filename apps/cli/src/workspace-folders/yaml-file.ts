import { isDeepStrictEqual } from "node:util";
import { CommandError } from "@parley/command/command-error";
import { oneLine } from "@parley/command/print";
import { findUnknownIn, formatPath } from "@parley/schema";
import * as z from "zod";
import { describePlace, type Place, readYamlText } from "../grammar/yaml-text.ts";

/** What is wrong with a file of a folder. */
export interface Fault {
  /** Its path in the folder. */
  readonly file: string;
  readonly place?: Place | undefined;
  /** Names the member if there is one. */
  readonly message: string;
}

/** What a file declares, or its faults. */
export type ReadFile<T> = { readonly value: T } | { readonly faults: readonly Fault[] };

/** The end of the name of a file in YAML. */
export const YAML = /\.ya?ml$/;

/** The name of a file without its folder and its extension. */
export const stemOf = (file: string): string => file.replace(/^.*\//, "").replace(YAML, "");

/** The error for the faults of a folder: each in a line with its place. */
export function refuseFaults(folder: string, faults: readonly Fault[]): CommandError {
  const count = faults.length === 1 ? "1 error" : `${faults.length} errors`;
  return new CommandError(
    [`${folder} has ${count}; nothing was changed`, ...faults.map(describeFault)].join("\n"),
  );
}

function describeFault({ file, place, message }: Fault): string {
  const where = place === undefined ? file : describePlace(file, place);
  return `  ${oneLine(where)}: ${oneLine(message)}`;
}

/** The members of a file that a read would not give if the file left them out. */
export function withoutDefaults(value: object, defaults: object): object {
  const known = new Map<string, unknown>(Object.entries(defaults));
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => !isDeepStrictEqual(member, known.get(name))),
  );
}

/** Reads a file in YAML by a schema that has no other members than it names. All its faults are found. */
export function readYamlFile<S extends z.ZodObject>(
  schema: S,
  { file, text }: { readonly file: string; readonly text: string },
): ReadFile<z.output<S>> {
  const read = readYamlText(text);
  if ("faults" in read) {
    return { faults: read.faults.map(({ message, ...place }) => ({ file, place, message })) };
  }
  const { placeOf } = read;
  const value = read.value ?? {};
  if (typeof value !== "object" || Array.isArray(value)) {
    return {
      faults: [{ file, place: placeOf([]), message: "must be a mapping of names to values" }],
    };
  }
  const unknown = findUnknownIn(schema, value).map(({ path, message }): Fault => {
    return { file, place: placeOf(path.split(/[.[\]]+/)), message: `${path}: ${message}` };
  });
  const parsed = schema.safeParse(value);
  if (parsed.success && unknown.length === 0) return { value: parsed.data };
  const issues = (parsed.error?.issues ?? []).map((issue): Fault => {
    const { path, message } = innermost(issue);
    const member = path.length === 0 ? "" : `${formatPath(path)}: `;
    return { file, place: placeOf(path), message: member + message };
  });
  return { faults: [...unknown, ...issues] };
}

/** The fault itself: a union and a key of a record have faults of their own. */
function innermost(issue: z.core.$ZodIssue): Pick<z.core.$ZodIssue, "path" | "message"> {
  const inner =
    issue.code === "invalid_union"
      ? issue.errors.flat().find(({ code }) => code !== "invalid_type")
      : issue.code === "invalid_key"
        ? issue.issues[0]
        : undefined;
  if (inner === undefined) return issue;
  return innermost({ ...inner, path: [...issue.path, ...inner.path] });
}
