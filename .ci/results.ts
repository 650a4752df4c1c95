import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { runOn } from "../packages/db/src/testing/databases.ts";
import type { KindName } from "./kinds.ts";

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
  const env = { ...process.env, PARLEY_TEST_PROGRAMS: JSON.stringify(await describePrograms()) };
  const options = { cwd: root, env, maxBuffer: 2 ** 26 };
  const turbo = path.join(root, "node_modules/.bin/turbo");
  const { stdout } = await promisify(execFile)(turbo, ["run", "test", "--dry=json"], options);
  const { tasks } = JSON.parse(stdout) as DryRun;
  return new Map(
    tasks
      .filter(({ taskId }) => taskId.endsWith("#test"))
      .map(({ directory, hash }) => [directory, hash]),
  );
}

/** The versions of what tests run on, and which of the programs are there that some of them need. */
async function describePrograms() {
  const url = process.env["DATABASE_URL"] ?? "";
  const rows = url === "" ? [] : await runOn<{ version: string }>(url, "select version()");
  const programs = ["chromium", "nginx", "redis-server", "slowhttptest", "strace"];
  return {
    node: process.version,
    // The embedded one is in the lockfile.
    postgres: rows[0]?.version ?? "embedded",
    redis: await answers(process.env["REDIS_URL"] ?? ""),
    found: programs.filter((name) => spawnSync("which", [name]).status === 0),
  };
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
    readonly assertionResults: readonly { readonly status: string }[];
  }[];
}

/** Reads Vitest's report: the counts by the folders of packages. A file that did not load is a failure. */
export function readReport(file: string, names: readonly string[]): Map<string, Counts> {
  const report = JSON.parse(readFileSync(file, "utf8")) as Report;
  const counts = new Map(names.map((name) => [name, { passed: 0, failed: 0, skipped: 0 }]));
  for (const { name: tested, status, assertionResults } of report.testResults) {
    const name = path.relative(root, tested).split(path.sep).slice(0, 2).join("/");
    const one = counts.get(name);
    if (one === undefined) continue;
    for (const assertion of assertionResults) {
      if (assertion.status === "passed") one.passed++;
      else if (assertion.status === "failed") one.failed++;
      else one.skipped++;
    }
    if (status === "failed" && !assertionResults.some((test) => test.status === "failed")) {
      one.failed++;
    }
  }
  return counts;
}
