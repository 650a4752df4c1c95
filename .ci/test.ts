// `test`, `test:full`, `test:browser`, `check` and `check:full` of the workspace; with arguments, the files of tests
// whose paths contain one of them.
import { sayOverrun } from "./budgets.ts";
import { check, checkStatically } from "./check.ts";
import { RELEASE_VARIABLE } from "./published.ts";
import { runFiles, runOnly } from "./run-tests.ts";
import { runTask } from "./run-task.ts";
import { packBuiltStep, packStep, runSteps, type Step } from "./steps.ts";

const buildStep: Step = {
  name: "build",
  command: ["turbo", "run", "build", "--output-logs=errors-only"],
};

const [first = "test", ...others] = process.argv.slice(2);

async function checkFully(): Promise<boolean> {
  const startedAt = performance.now();
  const failed = await checkStatically();
  failed.push(...(await runSteps([buildStep, packBuiltStep])));
  sharePack(failed);
  return runTask("full", failed, () =>
    sayOverrun("check:full", (performance.now() - startedAt) / 1000),
  );
}

/** Lets all tests that install what was packed use the same files. */
function sharePack(failed: readonly string[]): void {
  if (!failed.includes(packStep.name)) process.env[RELEASE_VARIABLE] = "1";
}

async function packAndTest(): Promise<boolean> {
  const failed = await runSteps([packStep]);
  sharePack(failed);
  return runTask("full", failed);
}

async function runAsked(): Promise<boolean> {
  if (first === "check") return check();
  if (first === "check:full") return checkFully();
  if (first === "browser" || first === "screenshots") return runOnly(first, others);
  if (first !== "test" && first !== "full") return runFiles([first, ...others]);
  if (others.length > 0) return runFiles(others);
  if (first === "test") return runTask("test");
  return packAndTest();
}

process.exitCode = (await runAsked()) ? 0 : 1;
