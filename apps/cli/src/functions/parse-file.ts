import { CommandError } from "@parley/command/command-error";
import { findUnknownIn, formatPath } from "@parley/schema";
import type * as z from "zod";

/** The value of a file of JSON. Throws `CommandError`. */
export function readJson(json: string, name: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new CommandError(`${name}: ${message.replaceAll(/\s+/g, " ")}`);
  }
}

/** Parses what a file has, all of whose members are known. Throws `CommandError`, with the first fault. */
export function parseFile<S extends z.ZodObject>(
  schema: S,
  value: unknown,
  name: string,
): z.output<S> {
  const [unknown] = findUnknownIn(schema, value);
  if (unknown !== undefined) throw new CommandError(`${name}: ${unknown.path}: ${unknown.message}`);
  return parseMembers(schema, value, name);
}

/** Parses what files have together. Throws `CommandError`, with the first fault. */
export function parseMembers<S extends z.ZodType>(
  schema: S,
  value: unknown,
  name: string,
): z.output<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fault = describeIssue(result.error.issues[0]).replace(/^program\.source(?:\.|: )/, "");
  throw new CommandError(`${name}: ${fault}`);
}

/** The innermost fault: a union and a key of a record have faults of their own. */
function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined) return "is malformed";
  const { path: place, message } = issue;
  if (issue.code === "invalid_union") {
    // A source is a record of files here, and never a single text.
    const inner = issue.errors.flat().find((one) => one.code !== "invalid_type");
    if (inner !== undefined) return describeIssue({ ...inner, path: [...place, ...inner.path] });
  }
  const [inner] = issue.code === "invalid_key" ? issue.issues : [];
  return `${place.length > 0 ? `${formatPath(place)}: ` : ""}${inner?.message ?? message}`;
}
