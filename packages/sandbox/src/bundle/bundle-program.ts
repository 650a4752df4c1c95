import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { type BundleAnswer, type BundleFault, ENTRY_FILES } from "@parley/schema";
import { entryFile } from "../entry-file.ts";

/** What a bundler is asked. */
export interface BundleQuestion {
  readonly files: Readonly<Record<string, string>>;
  readonly entry: string;
  readonly maxBundleBytes: number;
}

export interface BundleLimits {
  /** Bytes of the bundle with its source map. */
  readonly maxBundleBytes?: number;
  /** How long bundling may take. */
  readonly timeoutMs?: number;
}

const MAX_BUNDLE_BYTES = 4_194_304;
const TIMEOUT_MS = 10_000;
const MAX_LINE_CHARACTERS = 500;

/**
 * Bundles the files of a program to one module: TypeScript becomes JavaScript, and relative imports are resolved
 * among the files. It runs in a process of its own, without the environment of this one, which is killed when it
 * takes too long. What the author did wrong is a fault.
 */
export async function bundleProgram(
  files: Readonly<Record<string, string>>,
  { maxBundleBytes = MAX_BUNDLE_BYTES, timeoutMs = TIMEOUT_MS }: BundleLimits = {},
): Promise<BundleAnswer> {
  const entry = ENTRY_FILES.find((name) => Object.hasOwn(files, name));
  if (entry === undefined) return failed(`The program must have ${ENTRY_FILES[0]}`);
  const bundler = spawn(process.execPath, ["--no-warnings", entryFile("bundle-entry")], {
    env: {},
    // A group of its own, so that the bundler's processes end with it.
    detached: process.platform !== "win32",
    stdio: ["pipe", "pipe", "ignore"],
    windowsHide: true,
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(bundler.pid);
  }, timeoutMs);
  bundler.stdin.on("error", () => {});
  bundler.stdin.end(JSON.stringify({ files, entry, maxBundleBytes } satisfies BundleQuestion));
  try {
    const answered = await text(bundler.stdout);
    if (isLate) return failed(`Bundling took longer than ${timeoutMs} ms`);
    const answer = JSON.parse(answered) as BundleAnswer;
    if ("bundle" in answer) return answer;
    return { faults: answer.faults.map(bound) };
  } finally {
    clearTimeout(timer);
    endGroup(bundler.pid);
  }
}

const failed = (message: string): BundleAnswer => ({
  faults: [{ file: "", line: 0, column: 0, message, sourceLine: "" }],
});

/** A line may be as long as the file. */
const bound = (fault: BundleFault): BundleFault => ({
  ...fault,
  sourceLine: fault.sourceLine.slice(0, MAX_LINE_CHARACTERS),
});

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // It has ended.
  }
}
