import { readdir } from "node:fs/promises";
import path from "node:path";
import { CommandError } from "@parley/command/command-error";
import {
  CreateSandboxFunction,
  findUnknownIn,
  folderKind,
  type FolderProgram,
  formatPath,
  type JavaScriptProgram,
  MAX_SOURCE_BYTES,
  MAX_SOURCE_FILES,
  type Program,
  sourceFileOf,
} from "@parley/schema";
import type * as z from "zod";
import { codeMembers, FUNCTION_FILE, FunctionFile } from "./function-file.ts";
import { filesOfProgram } from "./function-members.ts";
import { kindOf, readRegularFile } from "../regular-files.ts";

/** A function as its folder has it: every member of it. */
export interface FunctionFolder {
  readonly slug: string;
  /** The source of code in JavaScript, by path. */
  readonly files: Readonly<Record<string, string>>;
  readonly definition: Omit<ReturnType<typeof definitionOf>, "program"> & {
    readonly program: Program;
  };
}

/** Whether a file or folder of a function's folder is one of it: not one of tools, tests, types and readers. */
export const isOfFunction = (name: string): boolean =>
  !leftOut.some((pattern) => pattern.test(name));

/** Names in a folder that are not part of the program: those of tools, tests, types and readers. */
const leftOut = [
  /^\./,
  /^node_modules$/,
  /^README(?:\..*)?$/i,
  /^(?:package|package-lock|tsconfig(?:\..+)?)\.json$/,
  /\.lock$|^pnpm-lock\.yaml$/,
  /\.d\.m?ts$/,
  /\.(?:test|spec)\.m?[jt]s$/,
];

/**
 * Reads the folder of a function: `function.json`, and as source every other file that is not left out.
 * Throws `CommandError`, which names the file and what is wrong with it.
 */
export async function readFunctionFolder(folder: string): Promise<FunctionFolder> {
  if ((await kindOf(folder)) !== "folder") throw new CommandError(`${folder}: is not a folder`);
  const files = await readFunctionFiles(folder);
  const { [FUNCTION_FILE]: json, ...source } = files;
  if (json === undefined) {
    const cure = "scaffold one with parley functions init";
    throw new CommandError(`${folder}: has no ${FUNCTION_FILE}; ${cure}`);
  }
  const read = readJson(json);
  const [unknown] = findUnknownIn(FunctionFile, read);
  if (unknown !== undefined) {
    throw new CommandError(`${FUNCTION_FILE}: ${unknown.path}: ${unknown.message}`);
  }
  const file = parse(FunctionFile, read, FUNCTION_FILE);
  const moved = codeMembers.find((name) => Object.hasOwn(read as object, name));
  if (file.program !== undefined && moved !== undefined) {
    throw new CommandError(`${FUNCTION_FILE}: ${moved}: belongs in program`);
  }
  const definition = definitionOf(file, source);
  // What the server would refuse is known here, by the same schema.
  parse(CreateSandboxFunction, { wId: "-", slug: file.slug, ...definition }, folder);
  return { slug: file.slug, files: filesOfProgram(definition.program), definition };
}

function definitionOf(file: FunctionFile, source: Record<string, string>) {
  const { slug: _slug, allowedHosts, secrets, program, ...others } = file;
  const { cpuMs, memoryBytes, logBytes, fetches, fetchBytes, ...members } = others;
  const limits = { cpuMs, memoryBytes, logBytes, fetches, fetchBytes };
  const code: JavaScriptProgram = {
    type: folderKind,
    source,
    allowedHosts,
    secrets,
    ...limits,
  };
  return { ...members, program: program === undefined ? code : otherProgram(program, source) };
}

/** A program that `function.json` names. Throws `CommandError` if there are files beside it that it does not run. */
function otherProgram(program: FolderProgram, files: Readonly<Record<string, string>>): Program {
  const names = Object.keys(files);
  const name = sourceFileOf(program);
  if (name !== undefined && "language" in program && program.source === undefined) {
    const { [name]: source } = files;
    if (source !== undefined && names.length === 1) return { ...program, source };
    throw new CommandError(
      `${FUNCTION_FILE}: program: leave out the source; it is in ${name}, the only other file`,
    );
  }
  const [first] = names;
  if (first !== undefined) {
    throw new CommandError(`${FUNCTION_FILE}: program: makes ${first} unused; remove one of them`);
  }
  // Its source was checked to be there.
  return program as Program;
}

/** Reads the files of a function's folder that are its own, by their paths. Throws `CommandError`. */
export async function readFunctionFiles(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  let count = 0;
  // function.json is not of the source.
  const maxBytes = 2 * MAX_SOURCE_BYTES;
  let bytesLeft = maxBytes;
  const readInto = async (name: string, place: string): Promise<void> => {
    if ((await kindOf(place)) === "folder") {
      const entries = (await readdir(place)).toSorted();
      for (const entry of entries) {
        if (!isOfFunction(entry)) continue;
        await readInto(path.posix.join(name, entry), path.join(place, entry));
      }
      return;
    }
    if (++count > MAX_SOURCE_FILES + 1) {
      throw new CommandError(`${folder}: has more than ${MAX_SOURCE_FILES} source files`);
    }
    const bytes = await readRegularFile(place, { bytesLeft, maxBytes });
    bytesLeft -= bytes.length;
    files[name] = decode(place, bytes);
  };
  await readInto("", folder);
  return files;
}

function decode(place: string, bytes: Buffer<ArrayBuffer>): string {
  try {
    return new TextDecoder("utf8", { fatal: true }).decode(bytes);
  } catch {
    throw new CommandError(`${place}: is not UTF-8 text; source files must be`);
  }
}

function readJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const { message } = error as SyntaxError;
    throw new CommandError(`${FUNCTION_FILE}: ${message.replaceAll(/\s+/g, " ")}`);
  }
}

/** Parses what a file has. Throws `CommandError`, with the first fault. */
function parse<S extends z.ZodType>(schema: S, value: unknown, name: string): z.output<S> {
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
