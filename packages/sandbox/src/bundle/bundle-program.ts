import {
  type BundleAnswer,
  type BundleFault,
  ENTRY_FILES,
  MAX_SOURCE_BYTES,
  MAX_SOURCE_FILES,
} from "@parley/schema";
import { entryFile } from "../entry-file.ts";
import type { User } from "../other-user.ts";
import { type EndedProgram, type ProgramLimits, runWatched } from "../processes/run-watched.ts";
import { createProgramUser } from "../program-user.ts";
import type { SourceLimits } from "./collect-packages.ts";

/** What a bundler is asked. */
export interface BundleQuestion {
  readonly files: Readonly<Record<string, string>>;
  readonly entry: string;
  readonly maxBundleBytes: number;
  /** A folder with packages whose files are collected, and what the program may have; nothing is bundled. */
  readonly installed?: SourceLimits & { readonly folder: string };
}

/** The files of packages by their paths, or why they cannot be collected. */
export type CollectAnswer =
  | { readonly packages: Record<string, string> }
  | { readonly faults: readonly BundleFault[] };

export interface BundleLimits {
  /** Bytes of the bundle with its source map. */
  readonly maxBundleBytes?: number;
  /** How long bundling may take. */
  readonly timeoutMs?: number;
}

const MAX_BUNDLE_BYTES = 4_194_304;
const TIMEOUT_MS = 10_000;
/** Of all of the bundler's processors together. */
const CPU_MS = 10_000;
const MIB = 1_048_576;
/** Of the bundler with the process that asks it. A program of a megabyte takes half of it. */
const MEMORY_BYTES = 320 * MIB;
/**
 * A fast machine fills hundreds of megabytes between two looks of the watch. The bundler reserves 1240 MiB of
 * addresses without using them and node 1080, so that the bundler gets 376 MiB at most and both stay below 512. The
 * kernel's limit of data would not hold: it does not count what a program maps over its own reservation.
 */
const ADDRESS_BYTES = 1616 * MIB;
/**
 * The bundler collects its garbage so often that it stays below 192 MiB, if it can. What threads reserve does not
 * depend on the machine's processors.
 */
const environment = { GOMEMLIMIT: String(192 * MIB), GOMAXPROCS: "2", MALLOC_ARENA_MAX: "1" };
/** Of the process that asks it. */
const nodeArguments = [
  "--no-warnings",
  "--v8-pool-size=1",
  `--max-old-space-size=${MEMORY_BYTES / MIB}`,
];
/** A character takes up to six bytes in JSON. */
const ANSWER_FACTOR = 6;
const MAX_FAULTS_BYTES = 8 * MIB;
const NEWLINE = 0x0a;
const MAX_LINE_CHARACTERS = 500;
const MAX_MESSAGE_CHARACTERS = 2000;

/**
 * Bundles the files of a program to one module: TypeScript becomes JavaScript, and relative imports are resolved
 * among the files. It runs in processes of its own, without the environment of this one, under a watch of time,
 * memory and output; if this one is root, as a user that nothing else runs as. What the author did wrong is a fault,
 * and so is a program that takes more.
 */
export async function bundleProgram(
  files: Readonly<Record<string, string>>,
  { maxBundleBytes = MAX_BUNDLE_BYTES, timeoutMs = TIMEOUT_MS }: BundleLimits = {},
): Promise<BundleAnswer> {
  const entry = findEntry(files);
  if (entry === undefined) return withoutEntry();
  const question = { files, entry, maxBundleBytes };
  const answer = await ask<BundleAnswer>(question, { timeoutMs, user: await findUser() });
  return "faults" in answer ? { faults: answer.faults.map(bound) } : answer;
}

/**
 * The files of the packages in a folder's `node_modules` that the files of a program import, as they are stored with it:
 * read by a bundler as `bundleProgram` runs it, but as the user of this process.
 */
export async function collectPackages(
  files: Readonly<Record<string, string>>,
  folder: string,
): Promise<CollectAnswer> {
  const entry = findEntry(files);
  if (entry === undefined) return withoutEntry();
  const installed = { folder, maxFiles: MAX_SOURCE_FILES, maxBytes: MAX_SOURCE_BYTES };
  const question = { files, entry, maxBundleBytes: MAX_BUNDLE_BYTES, installed };
  const answer = await ask<CollectAnswer>(question, { timeoutMs: TIMEOUT_MS, user: undefined });
  return "faults" in answer ? { faults: answer.faults.map(bound) } : answer;
}

const findEntry = (files: Readonly<Record<string, string>>): string | undefined =>
  ENTRY_FILES.find((name) => Object.hasOwn(files, name));

const withoutEntry = (): Failure => failed(`The program must have ${ENTRY_FILES[0]}`);

/** What a bundler answers, or the limit that it exceeded. Throws if it breaks. */
async function ask<A>(
  question: BundleQuestion,
  { timeoutMs, user }: { readonly timeoutMs: number; readonly user: User | undefined },
): Promise<A | Failure> {
  const { maxBundleBytes } = question;
  const limits: ProgramLimits = {
    timeoutMs,
    cpuMs: CPU_MS,
    memoryBytes: MEMORY_BYTES,
    addressBytes: ADDRESS_BYTES,
    outputBytes: ANSWER_FACTOR * maxBundleBytes + MAX_FAULTS_BYTES,
  };
  const ended = await runBundler(question, limits, user);
  if (hasAnswered(ended)) return JSON.parse(ended.output.toString()) as A;
  const excess = describeExcess(ended, limits, maxBundleBytes);
  if (excess !== undefined) return failed(excess);
  const missing = findMissing(ended);
  if (missing !== undefined) return failed(missing);
  throw new Error("The bundler broke", { cause: ended.errors });
}

/** Whether a bundler wrote its whole line: it is killed as soon as it has, if not before. */
const hasAnswered = ({ output }: EndedProgram): boolean => output.at(-1) === NEWLINE;

function runBundler(
  question: BundleQuestion,
  limits: ProgramLimits,
  user: User | undefined,
): Promise<EndedProgram> {
  return runWatched({
    command: [process.execPath, ...nodeArguments, entryFile("bundle-entry")],
    env: environment,
    input: JSON.stringify(question),
    limits,
    user,
  });
}

/** The user that bundlers of root become: that of the sandbox, if it can read the bundler. */
const findUser = createProgramUser(canBundle);

async function canBundle(user: User): Promise<boolean> {
  const [entry] = ENTRY_FILES;
  const limits: ProgramLimits = {
    timeoutMs: TIMEOUT_MS,
    cpuMs: CPU_MS,
    memoryBytes: MEMORY_BYTES,
    addressBytes: ADDRESS_BYTES,
    outputBytes: MIB,
  };
  const probe = { files: { [entry]: "" }, entry, maxBundleBytes: MIB };
  try {
    const ended = await runBundler(probe, limits, user);
    // What was ended for what it used could read the bundler.
    return hasAnswered(ended) || ended.exceeded !== undefined;
  } catch {
    return false;
  }
}

/** What the bundler needs and an install without optional packages leaves out. */
function findMissing({ errors }: EndedProgram): string | undefined {
  const [, name] = /The package "(@esbuild\/[\w-]+)" could not be found/.exec(errors) ?? [];
  return (
    name && `The server has no bundler: its operator must install ${name} beside parley-server`
  );
}

/** The limit that bundling exceeded, as its author reads it. */
function describeExcess(
  { status, errors, exceeded }: EndedProgram,
  { timeoutMs, cpuMs, memoryBytes }: ProgramLimits,
  maxBundleBytes: number,
): string | undefined {
  if (exceeded === "time") return `Bundling took longer than ${timeoutMs} ms`;
  if (exceeded === "processor") return `Bundling used more than ${cpuMs} ms of processor time`;
  if (exceeded === "output") return `The bundle must be at most ${maxBundleBytes} bytes`;
  // If addresses run out first, the process that asks for them ends by itself.
  const isFull = status !== 0 && /out of memory|cannot allocate memory|heap limit/i.test(errors);
  if (exceeded !== "memory" && !isFull) return undefined;
  return `Bundling used more than ${memoryBytes / MIB} MiB of memory`;
}

interface Failure {
  readonly faults: readonly BundleFault[];
}

const failed = (message: string): Failure => ({
  faults: [{ file: "", line: 0, column: 0, message, sourceLine: "" }],
});

/** A line may be as long as the file, and a message names what it is about. */
const bound = (fault: BundleFault): BundleFault => ({
  ...fault,
  message: fault.message.slice(0, MAX_MESSAGE_CHARACTERS),
  sourceLine: fault.sourceLine.slice(0, MAX_LINE_CHARACTERS),
});
