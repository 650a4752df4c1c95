import { existsSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { type Kind, KIND_VARIABLE, type KindName, kinds, REPORT_VARIABLE } from "./kinds.ts";
import { type Counts, readHashes, readPassed, readReport, writePassed } from "./results.ts";
import { run, say } from "./steps.ts";

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
  const temporary = mkdtempSync(path.join(os.tmpdir(), "parley-tests-"));
  const report = path.join(temporary, "report.json");
  const projects = folders.map((folder) => `--project=${folder}*`);
  try {
    const isGreen = await run(["vitest", "run", ...projects], {
      ...kinds[name].environment,
      [KIND_VARIABLE]: name,
      [REPORT_VARIABLE]: report,
    });
    if (!existsSync(report)) return [["vitest", { passed: 0, failed: 1, skipped: 0 }]];
    const counts = [...readReport(report, folders)];
    // What failed outside of every test.
    const isUnexplained = !isGreen && counts.every(([, { failed }]) => failed === 0);
    if (!isUnexplained) return counts;
    return counts.map(([folder, one]) => [folder, { ...one, failed: one.failed + 1 }] as const);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}
