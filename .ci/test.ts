// `test`, `test:full`, `test:faults`, `test:browser`, `check` and `check:full` of the workspace; with
// arguments, the files of tests whose paths contain one of them.
import { check, checkStatically } from "./check.ts";
import { type KindName, kinds } from "./kinds.ts";
import { RELEASE_VARIABLE } from "./published.ts";
import { runFiles, runKind } from "./run-tests.ts";
import { packStep, runStep } from "./steps.ts";

const [first = "test", ...others] = process.argv.slice(2);

async function checkFully(): Promise<boolean> {
  const isClean = await checkStatically();
  const build = ["turbo", "run", "build", "--output-logs=errors-only"];
  const isBuilt = await runStep({ name: "build", command: build });
  const isPacked = await pack();
  // What it prints last is what CI reads.
  return (await runKind("full")) && isClean && isBuilt && isPacked;
}

/** Packs what users install, once for all tests that install it. */
async function pack(): Promise<boolean> {
  const isPacked = await runStep(packStep);
  if (isPacked) process.env[RELEASE_VARIABLE] = "1";
  return isPacked;
}

async function runFull(): Promise<boolean> {
  const isPacked = await pack();
  return (await runKind("full")) && isPacked;
}

async function runAsked(): Promise<boolean> {
  if (first === "check") return check();
  if (first === "check:full") return checkFully();
  if (!(first in kinds)) return runFiles([first, ...others]);
  if (others.length > 0) return runFiles(others);
  return first === "full" ? runFull() : runKind(first as KindName);
}

process.exitCode = (await runAsked()) ? 0 : 1;
