/** Programs as they are stored, and as their authors see them again. */
import {
  type BundleAnswer,
  type BundleFault,
  filesOf,
  type HasProgramSetting,
  type Issue,
  missingSetting,
  type Program,
  type ProgramBundle,
  type StoredProgram,
} from "@parley/schema";
import type { CallOptions, Threads } from "../untrusted/threads.ts";
import { checkBehaviour } from "./check-behaviour.ts";

/** Faults of code that an error names. */
const MAX_FAULTS = 10;

/** Makes one module of the files of a program. */
export type BundleCode = (
  files: Readonly<Record<string, string>>,
  options: Pick<CallOptions, "workspaceId"> & { readonly signal: AbortSignal },
) => Promise<BundleAnswer>;

/** What bundles the code of functions. The process that composes the core gives it: core runs no bundler. */
export interface CodeServices {
  readonly bundleCode: BundleCode;
  /** Whether workers have a setting that programs need. */
  readonly hasProgramSetting: HasProgramSetting;
}

/** Of a process that stores no code. */
export const bundlesNothing: BundleCode = async () => {
  const message = "this process cannot store code";
  return { faults: [{ file: "", line: 0, column: 0, message, sourceLine: "" }] };
};

/** A program that can be stored, or why it cannot. Waits for threads and processes: not for a transaction. */
export async function prepareProgram(
  { threads, bundleCode, hasProgramSetting }: CodeServices & { readonly threads: Threads },
  program: Program,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<{ program: StoredProgram } | { issues: Issue[] }> {
  const setting = missingSetting(program.type, hasProgramSetting);
  if (setting !== undefined) {
    const message = `${program.type} needs the setting ${setting}, which this server does not have`;
    return { issues: [{ path: "program.type", message }] };
  }
  if (program.type === "simulated") {
    const faults = await checkBehaviour(threads, program.behaviour, options);
    const issues = faults.map(({ path, message }) => {
      return { path: `program.behaviour.${path}`, message };
    });
    return issues.length === 0 ? { program } : { issues };
  }
  if (program.type !== "javascript") return { program };
  const bundled = await bundleSource({ bundleCode }, program.source, {
    ...options,
    path: "program.source",
  });
  return "issues" in bundled ? bundled : { program: { ...program, bundle: bundled.bundle } };
}

/** The module of a source, or why there is none, as issues at a path. Waits for a process: not for a transaction. */
export async function bundleSource(
  { bundleCode }: Pick<CodeServices, "bundleCode">,
  source: string | Record<string, string>,
  { path, ...options }: CallOptions & { readonly signal: AbortSignal; readonly path: string },
): Promise<{ bundle: ProgramBundle } | { issues: Issue[] }> {
  const answer = await bundleCode(filesOf(source), options);
  if ("bundle" in answer) return { bundle: answer.bundle };
  const faults = answer.faults.slice(0, MAX_FAULTS);
  return { issues: faults.map((fault) => ({ path, message: describeFault(fault) })) };
}

/** As in `index.ts:3:14: Unexpected "}" | const x = }`. */
function describeFault({ file, line, column, message, sourceLine }: BundleFault): string {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const text = [place, message].filter((part) => part !== "").join(": ");
  return sourceLine === "" ? text : `${text} | ${sourceLine}`;
}

/** A program as its author wrote it. */
export function renderProgram(program: StoredProgram): Program {
  if (program.type === "mcp" || program.type === "client") {
    throw new Error(`Nobody writes programs of ${program.type}`);
  }
  if (program.type !== "javascript") return program;
  const { bundle: _bundle, ...written } = program;
  return written;
}
