/** Programs as they are stored, and as their authors see them again. */
import {
  type BundleAnswer,
  type BundleFault,
  filesOf,
  type Issue,
  type Program,
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
  /** Whether workers have an API of E2B to run code in. */
  readonly hasE2b: boolean;
}

/** Of a process that stores no code. */
export const bundlesNothing: BundleCode = async () => {
  const message = "this process stores no code";
  return { faults: [{ file: "", line: 0, column: 0, message, sourceLine: "" }] };
};

/** A program that can be stored, or why it cannot. Waits for threads and processes: not for a transaction. */
export async function prepareProgram(
  { threads, bundleCode, hasE2b }: CodeServices & { readonly threads: Threads },
  program: Program,
  options: CallOptions & { readonly signal: AbortSignal },
): Promise<{ program: StoredProgram } | { issues: Issue[] }> {
  if (program.type === "simulated") {
    const faults = await checkBehaviour(threads, program.behaviour, options);
    const issues = faults.map(({ path, message }) => {
      return { path: `program.behaviour.${path}`, message };
    });
    return issues.length === 0 ? { program } : { issues };
  }
  if (program.type === "e2b") return hasE2b ? { program } : { issues: [withoutE2b] };
  const answer = await bundleCode(filesOf(program.source), options);
  if ("bundle" in answer) return { program: { ...program, bundle: answer.bundle } };
  const issues = answer.faults.slice(0, MAX_FAULTS).map(describeFault);
  return { issues };
}

const withoutE2b: Issue = {
  path: "program.type",
  message: "e2b needs the setting PARLEY_E2B_API_KEY, which this server does not have",
};

/** As in `index.ts:3:14: Unexpected "}" | const x = }`. */
function describeFault({ file, line, column, message, sourceLine }: BundleFault): Issue {
  const place = line === 0 ? file : `${file}:${line}:${column}`;
  const text = [place, message].filter((part) => part !== "").join(": ");
  return { path: "program.source", message: sourceLine === "" ? text : `${text} | ${sourceLine}` };
}

/** A program as its author wrote it. */
export function renderProgram(program: StoredProgram): Program {
  if (program.type === "simulated" || program.type === "e2b") return program;
  if (program.type !== "javascript") throw new Error(`Nobody writes programs of ${program.type}`);
  const { bundle: _bundle, ...written } = program;
  return written;
}
