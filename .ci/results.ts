import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { runOn } from "../packages/db/testing/databases.ts";
import { aroundOf, type KindName } from "./kinds.ts";

const root = path.resolve(import.meta.dirname, "..");
const folder = path.join(root, "node_modules/.cache/parley-tests");

/** How many tests of a package passed, failed and were skipped. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface DryRun {
  readonly tasks: readonly { taskId: string; directory: string; hash: string }[];
}

/**
 * What the tests of each package depend on, as Turbo's hash, by the package's folder: its files and those
 * of the packages that it depends on, the lockfile, the environment, and the programs that tests start.
 */
export async function readHashes(): Promise<Map<string, string>> {
  const env = { ...process.env, [PROGRAMS_VARIABLE]: await describePrograms() };
  const options = { cwd: root, env, maxBuffer: 2 ** 26 };
  const turbo = path.join(root, "node_modules/.bin/turbo");
  const { stdout } = await promisify(execFile)(
    turbo,
    ["run", "test:inputs", "--dry=json"],
    options,
  );
  const { tasks } = JSON.parse(stdout) as DryRun;
  return new Map(tasks.map(({ directory, hash }) => [directory, hash]));
}

/** Tells Turbo what else tests depend on: `describePrograms()`. */
export const PROGRAMS_VARIABLE = "PARLEY_TEST_PROGRAMS";

/** The versions of what tests run on, and which of the programs are there that some of them need. */
export async function describePrograms(): Promise<string> {
  const url = process.env["DATABASE_URL"] ?? "";
  const rows = url === "" ? [] : await runOn<{ version: string }>(url, "select version()");
  const programs = [
    "chromium",
    "chromium-headless-shell",
    "mmdebstrap",
    "nginx",
    "redis-server",
    "slowhttptest",
    "strace",
  ];
  return JSON.stringify({
    node: process.version,
    // The embedded one is in the lockfile.
    postgres: rows[0]?.version ?? "embedded",
    redis: await answers(process.env["REDIS_URL"] ?? ""),
    found: programs.filter((name) => spawnSync("which", [name]).status === 0),
  });
}

async function answers(url: string): Promise<boolean> {
  if (url === "") return false;
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port === "" ? 6379 : port), hostname);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });
}

const fileOf = (kind: KindName, name: string): string =>
  path.join(folder, `${kind}-${name.replaceAll("/", "-")}.json`);

/** Where the task of a kind leaves what came of it. */
export const resultsOf = (kind: string): string => path.join(root, "apps/e2e/dist", `${kind}.json`);

export function sumOf(all: Iterable<Counts>): Counts {
  const sum: Counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { passed, failed, skipped } of all) {
    sum.passed += passed;
    sum.failed += failed;
    sum.skipped += skipped;
  }
  return sum;
}

/** The counts of a package whose tests passed with this hash. */
export function readPassed(kind: KindName, name: string, hash: string): Counts | undefined {
  try {
    const text = readFileSync(fileOf(kind, name), "utf8");
    const stored = JSON.parse(text) as { hash: string; counts: Counts };
    return stored.hash === hash ? stored.counts : undefined;
  } catch {
    return undefined;
  }
}

export function writePassed(kind: KindName, name: string, hash: string, counts: Counts): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(fileOf(kind, name), JSON.stringify({ hash, counts }));
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly status: string;
      readonly fullName: string;
      readonly failureMessages: readonly string[] | null;
    }[];
  }[];
}

/** A test that failed, and the first line of why. */
export interface Failure {
  readonly test: string;
  readonly why: string;
}

/** What the tests of a file came to. */
export interface FileResult {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
}

/** In the place of a test's name: what fails outside of them. */
export const WHOLE_FILE = "outside of its tests";

/** Reads Vitest's report, by the paths of files from the root. A file that did not load is a failure. */
export function readReport(report: string): Map<string, FileResult> {
  const around = JSON.parse(readFileSync(aroundOf(report), "utf8")) as Record<string, string>;
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as Report;
  return new Map(
    testResults.map(({ name, status, message, assertionResults }) => {
      const count = (state: string): number =>
        assertionResults.filter((test) => test.status === state).length;
      const failures = assertionResults
        .filter((test) => test.status === "failed")
        .map((test) => ({ test: test.fullName, why: firstLine(test.failureMessages?.[0]) }));
      if (status === "failed" && failures.length === 0) {
        const why = message === "" ? around[path.relative(root, name)] : message;
        failures.push({ test: WHOLE_FILE, why: firstLine(why) });
      }
      const [passed, failed] = [count("passed"), failures.length];
      const skipped = assertionResults.length - passed - count("failed");
      return [path.relative(root, name), { counts: { passed, failed, skipped }, failures }];
    }),
  );
}

const firstLine = (text = ""): string => text.trim().split("\n")[0] ?? "";

/** Sums the counts of files by the folders of packages. */
export function countByFolder(
  files: ReadonlyMap<string, FileResult>,
  folders: readonly string[],
): Map<string, Counts> {
  const sums = new Map(folders.map((name) => [name, { passed: 0, failed: 0, skipped: 0 }]));
  for (const [file, { counts }] of files) {
    const sum = sums.get(file.split(path.sep).slice(0, 2).join("/"));
    if (sum === undefined) continue;
    sum.passed += counts.passed;
    sum.failed += counts.failed;
    sum.skipped += counts.skipped;
  }
  return sums;
}
