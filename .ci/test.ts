// `test`, `test:full`, `test:browser`, `check` and `check:full` of the workspace; with arguments, the files of tests
// whose paths contain one of them.
import { sayOverrun } from "./budgets.ts";
import { check, checkStatically } from "./check.ts";
import { RELEASE_VARIABLE } from "./published.ts";
import { runFiles, runOnly } from "./run-tests.ts";
import { runTasks } from "./run-tasks.ts";
import { packStep, runStep } from "./steps.ts";

const [first = "test", ...others] = process.argv.slice(2);

async function checkFully(): Promise<boolean> {
  const startedAt = performance.now();
  const isClean = await checkStatically();
  const build = ["turbo", "run", "build", "--output-logs=errors-only"];
  const isBuilt = await runStep({ name: "build", command: build });
  const isPacked = await pack();
  // What it prints last is what CI reads.
  const isGreen = await runTasks(["test", "full"], () =>
    sayOverrun("check:full", (performance.now() - startedAt) / 1000),
  );
  return isGreen && isClean && isBuilt && isPacked;
}

/** Packs what users install, once for all tests that install it. */
async function pack(): Promise<boolean> {
  const isPacked = await runStep(packStep);
  if (isPacked) process.env[RELEASE_VARIABLE] = "1";
  return isPacked;
}

async function runAsked(): Promise<boolean> {
  if (first === "check") return check();
  if (first === "check:full") return checkFully();
  if (first === "browser" || first === "screenshots") return runOnly(first, others);
  if (first !== "test" && first !== "full") return runFiles([first, ...others]);
  if (others.length > 0) return runFiles(others);
  if (first === "test") return runTasks(["test"]);
  return (await pack()) && runTasks(["test", "full"]);
}

process.exitCode = (await runAsked()) ? 0 : 1;
