import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sayOverrun } from "./budgets.ts";
import { type Kind, KIND_VARIABLE, type KindName, kinds, REPORT_VARIABLE } from "./kinds.ts";
import {
  countByFolder,
  type Counts,
  type FileResult,
  readHashes,
  readPassed,
  readReport,
  sumOf,
  writePassed,
} from "./results.ts";
import { run, say } from "./steps.ts";

/** More files than these do not fail by chance. */
const MOST_AGAIN = 5;
/** What tests draw by, so that a run by day finds what its change broke: each nightly run has another. */
const DAY_SEED = "1";

/** Runs files of tests, whatever kind they belong to. Resolves with whether they passed. */
export async function runFiles(files: readonly string[], kind?: KindName): Promise<boolean> {
  return run(["vitest", "run", ...files], kind === undefined ? {} : { [KIND_VARIABLE]: kind });
}

/** Runs those files of a kind whose paths contain a filter. Resolves with whether they passed. */
export async function runOnly(name: KindName, filters: readonly string[]): Promise<boolean> {
  const isGreen = await runFiles(filters, name);
  const { note }: Kind = kinds[name];
  if (note !== undefined) say(note);
  return isGreen;
}

/**
 * Runs a kind of tests in one process of Vitest: the packages whose tests have not passed before as all
 * is now. Resolves with what came of all of them.
 */
export async function runKind(name: KindName): Promise<Counts> {
  const startedAt = performance.now();
  const kind: Kind = kinds[name];
  const hashes = await readHashes();
  const counts = new Map<string, Counts>();
  for (const [folder, hash] of hashes) {
    const passed = readPassed(name, folder, hash);
    if (passed === undefined) continue;
    counts.set(folder, passed);
    say(`✓ ${folder}: nothing has changed since its ${passed.passed} tests passed`);
  }
  const folders = [...hashes.keys()].filter((folder) => !counts.has(folder));
  const ran = folders.length === 0 ? [] : await runPackages(name, folders);
  const after = ran.length === 0 ? hashes : await readHashes();
  for (const [folder, one] of ran) {
    counts.set(folder, one);
    const hash = hashes.get(folder) ?? "";
    // What changed meanwhile may have been tested as it was before.
    if (after.get(folder) === hash && one.failed === 0) writePassed(name, folder, hash, one);
  }
  if (kind.note !== undefined) say(kind.note);
  sayOverrun(name, (performance.now() - startedAt) / 1000);
  return sumOf(counts.values());
}

/** Runs every file of a kind, with an environment. Resolves with their counts. */
export async function runWhole(
  name: KindName,
  environment: Readonly<Record<string, string>>,
): Promise<Counts> {
  const results = await runVitest(name, [], environment);
  for (const line of failuresOf(results.files)) say(line);
  const counted = countsOf(results, [...(await readHashes()).keys()]);
  return sumOf(counted.map(([, counts]) => counts));
}

async function runPackages(
  name: KindName,
  folders: readonly string[],
): Promise<readonly (readonly [string, Counts])[]> {
  const filters = folders.map((folder) => `${folder}/`);
  const first = await runVitest(name, filters);
  // Runs of CI are long, on machines that others use too: a deadline that was missed once says little.
  const isAgain = process.env["CI"] !== undefined;
  const { results, unsteady } = isAgain
    ? await runFailedAgain(name, first)
    : { results: first, unsteady: [] };
  for (const line of [...failuresOf(results.files), ...unsteady]) say(line);
  return countsOf(results, folders);
}

/** The counts of each folder, and one failure more for what failed outside of every file. */
function countsOf(
  { isGreen, files }: Results,
  folders: readonly string[],
): (readonly [string, Counts])[] {
  const counts = [...countByFolder(files, folders)];
  const isUnexplained = !isGreen && counts.every(([, { failed }]) => failed === 0);
  return isUnexplained ? [...counts, ["vitest", { passed: 0, failed: 1, skipped: 0 }]] : counts;
}

interface Results {
  readonly isGreen: boolean;
  readonly files: ReadonlyMap<string, FileResult>;
}

async function runVitest(
  name: KindName,
  filters: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Results> {
  const temporary = mkdtempSync(path.join(os.tmpdir(), "parley-tests-"));
  const report = path.join(temporary, "report.json");
  try {
    const isGreen = await run(["vitest", "run", ...filters], {
      PARLEY_TEST_SEED: process.env["PARLEY_TEST_SEED"] ?? DAY_SEED,
      ...environment,
      [KIND_VARIABLE]: name,
      [REPORT_VARIABLE]: report,
    });
    return { isGreen, files: existsSync(report) ? readReport(report) : new Map() };
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/**
 * Runs the files in which something failed once more, with the machine to themselves, if they are few.
 * What then passes counts as passed. Resolves with a line for each of those that says why it failed.
 */
async function runFailedAgain(
  name: KindName,
  first: Results,
): Promise<{ results: Results; unsteady: string[] }> {
  const failed = [...first.files].filter(([, { failures }]) => failures.length > 0);
  if (failed.length === 0 || failed.length > MOST_AGAIN) return { results: first, unsteady: [] };
  for (const line of failuresOf(first.files)) say(line);
  say("\nThese files run once more, alone:");
  const again = await runVitest(
    name,
    failed.map(([file]) => file),
  );
  const files = new Map([...first.files, ...again.files]);
  const unsteady = failed
    .filter(([file]) => files.get(file)?.failures.length === 0)
    .flatMap(([file, { failures }]) =>
      failures.map(({ test, why }) => `! unsteady: ${file} > ${test}: ${why}`),
    );
  return { results: { isGreen: again.isGreen, files }, unsteady };
}

/** A line for each test that failed. */
function failuresOf(files: ReadonlyMap<string, FileResult>): string[] {
  return [...files].flatMap(([file, { failures }]) =>
    failures.map(({ test, why }) => `✗ ${file} > ${test}: ${why}`),
  );
}
