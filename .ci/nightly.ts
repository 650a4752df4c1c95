// `pnpm test:nightly`: everything at its whole size, in parts. A part that is green on this tree is not run again,
// so that an interrupted run continues; named as an argument, it is. `PARLEY_TEST_SEED` repeats what a seed drew.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { type Part, parts, readResult, writeResult } from "./nightly-parts.ts";
import { runIn } from "./pnpm.ts";
import { runWhole } from "./run-tests.ts";
import { say } from "./steps.ts";

const root = path.resolve(import.meta.dirname, "..");
const asked = process.argv.slice(2);

/** Runs a part. Resolves with whether it is green, and with the counts of its tests. */
async function runPart(part: Part, seed: number) {
  if ("kind" in part) {
    const counts = await runWhole(part.kind, {
      PARLEY_TEST_NIGHTLY: "1",
      PARLEY_TEST_SEED: String(seed),
    });
    return { isGreen: counts.failed === 0, counts };
  }
  const words = [".ci/mutate.ts", part.mutated, String(part.places), String(seed)];
  const { status } = spawnSync(process.execPath, words, { cwd: root, stdio: "inherit" });
  return { isGreen: status === 0 };
}

async function runNightly(): Promise<boolean> {
  const unknown = asked.filter((name) => parts.every((part) => part.name !== name));
  if (unknown.length > 0) {
    say(`No part is called ${unknown.join(" or ")}: ${parts.map(({ name }) => name).join(", ")}`);
    return false;
  }
  const git = async (...words: string[]): Promise<string> =>
    (await runIn(root, "git", words)).trim();
  if ((await git("status", "--porcelain")) !== "") {
    say("Commit first: results are kept for a tree, and the working tree has changes");
    return false;
  }
  const tree = await git("rev-parse", "HEAD^{tree}");
  const seed = Number(process.env["PARLEY_TEST_SEED"] ?? Date.now() % 2 ** 31);
  say(`Tree ${tree}, seed ${seed}`);
  const failed: string[] = [];
  for (const part of parts) {
    const { name } = part;
    if (asked.length > 0 && !asked.includes(name)) continue;
    if (asked.length === 0 && readResult(root, tree, name)?.isGreen === true) {
      say(`✓ ${name}: green on this tree already`);
      continue;
    }
    say(`\n== ${name}`);
    const startedAt = performance.now();
    const { isGreen, ...more } = await runPart(part, seed);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    const date = new Date().toISOString();
    writeResult(root, { tree, part: name, seed, date, seconds, isGreen, ...more });
    say(`${isGreen ? "✓" : "✗"} ${name}: ${seconds} s`);
    if (!isGreen) failed.push(name);
  }
  say(failed.length === 0 ? "All parts are green" : `Failed: ${failed.join(", ")}`);
  return failed.length === 0;
}

process.exitCode = (await runNightly()) ? 0 : 1;
