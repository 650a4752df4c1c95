import { readFile } from "node:fs/promises";
import { CommandError } from "@parley/command/command-error";
import type { Io } from "@parley/command/io";
import { oneLine } from "@parley/command/print";
import { formatPath } from "@parley/schema";
import type { Command } from "commander";
import type * as z from "zod";
import { check } from "../connection/connect.ts";
import { readInput as readStandardInput } from "../connection/read-secrets.ts";
import { addInputOptions, type InputOption, type Reader } from "./input-options.ts";

/** Members that are not options: what only the server knows. */
const never = ["version"];
/** Members that lists have of themselves. */
const ofPages = ["lastValue", "limit"];

/** How a command gets an input. */
interface InputPlan<S extends z.ZodObject> {
  readonly schema: S;
  /** Members that have no option, as one that is an argument. */
  readonly without?: readonly string[];
  /** A filter is too small for a file. */
  readonly isFilter?: boolean;
  /** Members whose ids may be given by unique names. */
  readonly named?: readonly string[];
  /** Members whose text means more than JSON. */
  readonly readers?: Readonly<Record<string, Reader>>;
}

/** Reads the values of a command's options. Throws `CommandError`. */
type ReadGiven = (
  io: Io,
  values: Readonly<Record<string, unknown>>,
) => Promise<Record<string, unknown>>;

/**
 * Adds the options of an input to a command, with `--file` for all of them in one file; returns what reads them.
 * Options take precedence over the file.
 */
export function withInput<S extends z.ZodObject>(
  command: Command,
  { schema, without = [], named = [], readers = {}, isFilter = false }: InputPlan<S>,
): ReadGiven {
  const options = addInputOptions(command, schema, {
    without: [...never, ...(isFilter ? ofPages : []), ...without],
    named,
    readers,
  });
  if (!isFilter) {
    command.option("--file <file>", "YAML or JSON file with these fields; - reads standard input");
  }
  return async (io, values) => {
    const { file } = values;
    const given = typeof file === "string" ? await readDefinition(io, file, schema) : {};
    for (const one of options) {
      const value = values[one.option.attributeName()];
      if (value === undefined) continue;
      given[one.member] = await readValue(one, value, readers[one.member]?.read);
    }
    return given;
  };
}

/** Checks an input, and gives it as it was, so that the server refuses what it does not know. */
export function checkInput<S extends z.ZodObject>(schema: S, given: object): z.input<S> {
  check(schema, given);
  // It was checked above.
  return given as z.input<S>;
}

/** Reads a file, and checks what it has. What is missing may be an option or an argument, and is not looked for. */
async function readDefinition(
  io: Io,
  file: string,
  schema: z.ZodObject,
): Promise<Record<string, unknown>> {
  const text = file === "-" ? await readStandardInput(io) : await readFile(file, "utf8");
  const source = file === "-" ? "standard input" : file;
  const { value, placeOf } = await parseText(text, source);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new CommandError(`${source}: has no fields; it takes the same as the options`);
  }
  const { describePlace } = await import("./yaml-text.ts");
  const given: Record<string, unknown> = { ...value };
  const shape: Readonly<Record<string, z.ZodType>> = schema.shape;
  const faults = Object.entries(given).flatMap(([member, one]) => {
    const issues = shape[member]?.safeParse(one).error?.issues ?? [];
    return issues.map(({ path, message }) => {
      const whole = [member, ...path];
      return `${describePlace(source, placeOf(whole))}: ${formatPath(whole)}: ${message}`;
    });
  });
  if (faults.length > 0) throw new CommandError(oneLine(faults.join("; ")));
  return given;
}

async function readValue(
  { option, takesFile, isStructured, emptyIsNull }: InputOption,
  value: unknown,
  reader: Reader["read"] | undefined,
): Promise<unknown> {
  if (emptyIsNull && Array.isArray(value) && value.length === 0) return null;
  if (!takesFile || typeof value !== "string") return value;
  const isFile = value.startsWith("@");
  const text = isFile ? await readFile(value.slice(1), "utf8") : value;
  if (!isStructured) return text;
  const short = isFile ? undefined : reader?.(text);
  if (short !== undefined) return short;
  return (await parseText(text, isFile ? value.slice(1) : String(option.long))).value;
}

/** Throws `CommandError`, which says in a line what is wrong, and where. */
async function parseText(text: string, source: string) {
  const { describePlace, readYamlText } = await import("./yaml-text.ts");
  const read = readYamlText(text);
  if (!("faults" in read)) return read;
  const faults = read.faults.map((fault) => `${describePlace(source, fault)}: ${fault.message}`);
  throw new CommandError(oneLine(`${faults.join("; ")}: it is neither JSON nor YAML`));
}
