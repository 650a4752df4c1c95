import { CommandError } from "@parley/command/command-error";
import {
  CreateSandboxFunction,
  folderKind,
  type FolderProgram,
  type JavaScriptProgram,
  MAX_SOURCE_BYTES,
  MAX_SOURCE_FILES,
  type Program,
  sourceFileOf,
} from "@parley/schema";
import { codeMembers, FUNCTION_FILE, FunctionFile } from "./function-file.ts";
import { CASE_FILE } from "./function-case.ts";
import { filesOfProgram } from "./function-members.ts";
import { parseFile, parseMembers, readJson } from "./parse-file.ts";
import { readFiles } from "./read-files.ts";
import { readPackages } from "./read-packages.ts";
import { kindOf } from "../regular-files.ts";

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
  CASE_FILE,
];

/**
 * Reads the folder of a function: `function.json`, as source every other file that is not left out, and the files of
 * packages that they import. Throws `CommandError`, which names the file and what is wrong with it.
 */
export async function readFunctionFolder(folder: string): Promise<FunctionFolder> {
  const { file, source } = await readOwnFiles(folder);
  const packages = file.program === undefined ? await readPackages(folder, source) : {};
  return functionOf(folder, file, { ...source, ...packages });
}

/** Throws `CommandError` if a folder is not that of a function, whatever is wrong with its code. */
export async function requireFunctionFolder(folder: string): Promise<void> {
  const { file, source } = await readOwnFiles(folder);
  functionOf(folder, file, source);
}

async function readOwnFiles(folder: string) {
  if ((await kindOf(folder)) !== "folder") throw new CommandError(`${folder}: is not a folder`);
  const files = await readFunctionFiles(folder);
  const { [FUNCTION_FILE]: json, ...source } = files;
  if (json === undefined) {
    const cure = "scaffold one with parley functions init";
    throw new CommandError(`${folder}: has no ${FUNCTION_FILE}; ${cure}`);
  }
  const read = readJson(json, FUNCTION_FILE);
  const file = parseFile(FunctionFile, read, FUNCTION_FILE);
  const moved = codeMembers.find((name) => Object.hasOwn(read as object, name));
  if (file.program !== undefined && moved !== undefined) {
    throw new CommandError(`${FUNCTION_FILE}: ${moved}: belongs in program`);
  }
  return { file, source };
}

function functionOf(
  folder: string,
  file: FunctionFile,
  source: Record<string, string>,
): FunctionFolder {
  const definition = definitionOf(file, source);
  // What the server would refuse is known here, by the same schema.
  parseMembers(CreateSandboxFunction, { wId: "-", slug: file.slug, ...definition }, folder);
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
export const readFunctionFiles = async (folder: string): Promise<Record<string, string>> =>
  readFiles(folder, {
    takes: isOfFunction,
    noun: "source files",
    // function.json is not of the source.
    maxFiles: MAX_SOURCE_FILES,
    beside: 1,
    maxBytes: 2 * MAX_SOURCE_BYTES,
  });
