import { readFileSync, rmSync } from "node:fs";
import type { KindName } from "./kinds.ts";
import { describePrograms, type Outcome, PROGRAMS_VARIABLE, resultsOf, sumOf } from "./results.ts";
import { run, say } from "./steps.ts";

/** The task of Turbo for each kind of tests that it runs. */
const tasks = { test: "test", full: "test:full" } as const satisfies Partial<
  Record<KindName, string>
>;

/**
 * Runs kinds of tests through Turbo, which repeats what it printed where nothing has changed, and ends with
 * the counts of all of them, after what `beforeCounts` says. Steps that failed before count as one failed each.
 * Resolves with whether nothing failed.
 */
export async function runTasks(
  names: readonly (keyof typeof tasks)[],
  failedSteps: readonly string[] = [],
  beforeCounts: () => void = () => {},
): Promise<boolean> {
  for (const name of names) rmSync(resultsOf(name), { force: true });
  const options = ["--continue", "--concurrency=1", "--log-prefix=none"];
  const isGreen = await run(["turbo", "run", ...names.map((name) => tasks[name]), ...options], {
    [PROGRAMS_VARIABLE]: await describePrograms(),
    TURBO_TELEMETRY_DISABLED: "1",
  });
  const outcomes = names.map(readOutcome);
  const { passed, failed, skipped } = sumOf(outcomes);
  // A task that left nothing has failed as a whole.
  const failures = failedSteps.length + (isGreen ? failed : Math.max(failed, 1));
  // Other tasks have printed since.
  if (names.length > 1) for (const line of outcomes.flatMap(({ lines }) => lines)) say(line);
  for (const name of failedSteps) say(`✗ ${name}: see the line "✗ ${name}" above`);
  beforeCounts();
  say(`${passed} passed, ${failures} failed, ${skipped} skipped`);
  return failures === 0;
}

function readOutcome(name: string): Outcome {
  try {
    return JSON.parse(readFileSync(resultsOf(name), "utf8")) as Outcome;
  } catch {
    return { passed: 0, failed: 0, skipped: 0, lines: [`✗ ${name} ended without a result`] };
  }
}
