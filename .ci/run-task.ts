import { readFileSync, rmSync } from "node:fs";
import type { KindName } from "./kinds.ts";
import { type Counts, describePrograms, PROGRAMS_VARIABLE, resultsOf } from "./results.ts";
import { run, say } from "./steps.ts";

/** The task of Turbo for each kind of tests that it runs. */
const tasks = { test: "test", full: "test:full" } as const satisfies Partial<
  Record<KindName, string>
>;

/**
 * Runs a kind of tests through Turbo, which repeats what it printed where nothing has changed, and ends with
 * their counts, after what `beforeCounts` says. Steps that failed before count as one failed each.
 * Resolves with whether nothing failed.
 */
export async function runTask(
  name: keyof typeof tasks,
  failedSteps: readonly string[] = [],
  beforeCounts: () => void = () => {},
): Promise<boolean> {
  rmSync(resultsOf(name), { force: true });
  const options = ["--continue", "--concurrency=1", "--log-prefix=none"];
  const isGreen = await run(["turbo", "run", tasks[name], ...options], {
    [PROGRAMS_VARIABLE]: await describePrograms(),
    TURBO_TELEMETRY_DISABLED: "1",
  });
  const { passed, failed, skipped } = readCounts(name);
  // A task that left nothing has failed as a whole.
  const failures = failedSteps.length + (isGreen ? failed : Math.max(failed, 1));
  for (const step of failedSteps) say(`✗ ${step}: see the line "✗ ${step}" above`);
  beforeCounts();
  say(`${passed} passed, ${failures} failed, ${skipped} skipped`);
  return failures === 0;
}

function readCounts(name: string): Counts {
  try {
    return JSON.parse(readFileSync(resultsOf(name), "utf8")) as Counts;
  } catch {
    say(`✗ ${name} ended without a result`);
    return { passed: 0, failed: 0, skipped: 0 };
  }
}
