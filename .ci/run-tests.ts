import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Kind, KIND_VARIABLE, type KindName, kinds, REPORT_VARIABLE } from "./kinds.ts";
import {
  countByFolder,
  type Counts,
  type FileResult,
  readHashes,
  readPassed,
  readReport,
  writePassed,
} from "./results.ts";
import { run, say } from "./steps.ts";

/** More files than these do not fail by chance. */
const MOST_AGAIN = 5;

/** Runs files of tests, whatever kind they belong to. Resolves with whether they passed. */
export async function runFiles(files: readonly string[], kind?: KindName): Promise<boolean> {
  return run(["vitest", "run", ...files], kind === undefined ? {} : { [KIND_VARIABLE]: kind });
}

/**
 * Runs a kind of tests in one process of Vitest: the packages whose tests have not passed before as all
 * is now. Ends with the counts of all of them. Resolves with whether nothing failed.
 */
export async function runKind(name: KindName): Promise<boolean> {
  const kind: Kind = kinds[name];
  const hashes = await readHashes();
  const counts = new Map<string, Counts>();
  if (kind.only === undefined) {
    for (const [folder, hash] of hashes) {
      const passed = readPassed(name, folder, hash);
      if (passed === undefined) continue;
      counts.set(folder, passed);
      say(`✓ ${folder}: nothing has changed since its ${passed.passed} tests passed`);
    }
  }
  const folders = [...hashes.keys()].filter((folder) => !counts.has(folder));
  const ran = folders.length === 0 ? [] : await runPackages(name, folders);
  const after = ran.length === 0 ? hashes : await readHashes();
  for (const [folder, one] of ran) {
    counts.set(folder, one);
    const hash = hashes.get(folder) ?? "";
    // What changed meanwhile may have been tested as it was before.
    const isKnown = kind.only === undefined && after.get(folder) === hash;
    if (isKnown && one.failed === 0) writePassed(name, folder, hash, one);
  }
  const sum = (key: keyof Counts): number =>
    [...counts.values()].reduce((total, one) => total + one[key], 0);
  if (kind.note !== undefined) say(kind.note);
  say(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped`);
  return sum("failed") === 0;
}

async function runPackages(
  name: KindName,
  folders: readonly string[],
): Promise<(readonly [string, Counts])[]> {
  const filters = folders.map((folder) => `--project=${folder}*`);
  const first = await runVitest(name, filters);
  const kind: Kind = kinds[name];
  const results = kind.isRepeated === true ? await runFailedAgain(name, first) : first;
  sayFailures(results.files);
  const counts = [...countByFolder(results.files, folders)];
  // What failed outside of every file.
  const isUnexplained = !results.isGreen && counts.every(([, { failed }]) => failed === 0);
  return isUnexplained ? [...counts, ["vitest", { passed: 0, failed: 1, skipped: 0 }]] : counts;
}

interface Results {
  readonly isGreen: boolean;
  readonly files: ReadonlyMap<string, FileResult>;
}

async function runVitest(name: KindName, filters: readonly string[]): Promise<Results> {
  const temporary = mkdtempSync(path.join(os.tmpdir(), "parley-tests-"));
  const report = path.join(temporary, "report.json");
  try {
    const isGreen = await run(["vitest", "run", ...filters], {
      ...kinds[name].environment,
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
 * What then passes is named as unsteady, with why it failed, and counts as passed.
 */
async function runFailedAgain(name: KindName, first: Results): Promise<Results> {
  const failed = [...first.files].filter(([, { failures }]) => failures.length > 0);
  if (failed.length === 0 || failed.length > MOST_AGAIN) return first;
  sayFailures(first.files);
  say("\nThese files run once more, alone:");
  const again = await runVitest(
    name,
    failed.map(([file]) => file),
  );
  const files = new Map([...first.files, ...again.files]);
  for (const [file, { failures }] of failed) {
    if (files.get(file)?.failures.length !== 0) continue;
    for (const { test, why } of failures) say(`! unsteady: ${file} > ${test}: ${why}`);
  }
  return { isGreen: again.isGreen, files };
}

function sayFailures(files: ReadonlyMap<string, FileResult>): void {
  for (const [file, { failures }] of files) {
    for (const { test, why } of failures) say(`✗ ${file} > ${test}: ${why}`);
  }
}
