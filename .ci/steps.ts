import { spawn } from "node:child_process";
import { once } from "node:events";
import { BUILT_OPTION } from "./published.ts";

/** Silence is never longer. */
const HEARTBEAT_MS = 8000;

/** A command of a run, whose output is printed when it has failed. */
export interface Step {
  readonly name: string;
  readonly command: readonly string[];
  /** What to do when it fails. */
  readonly cure?: string;
}

/** Packs what users install by name, for the tests of packaging. */
export const packStep: Step = { name: "pack", command: ["node", ".ci/pack-release.ts"] };

/** Does so with what has just been built. */
export const packBuiltStep: Step = {
  name: packStep.name,
  command: [...packStep.command, BUILT_OPTION],
};

export const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Runs a command with this process's output. Resolves with whether it succeeded. */
export async function run(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const [file = "", ...args] = command;
  const env = { ...process.env, ...environment };
  const [code] = await once(spawn(file, args, { stdio: "inherit", env }), "exit");
  return code === 0;
}

/** Runs a step, and prints that it ended. Resolves with whether it succeeded. */
export async function runStep({ name, command, cure }: Step): Promise<boolean> {
  const [file = "", ...args] = command;
  const startedAt = performance.now();
  const seconds = (): string => `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
  const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  const heartbeat = setInterval(() => say(`… ${name}: ${seconds()}`), HEARTBEAT_MS);
  const [code] = await once(child, "close");
  clearInterval(heartbeat);
  say(`${code === 0 ? "✓" : "✗"} ${name}: ${seconds()}`);
  if (code !== 0) say([output.trimEnd(), ...(cure === undefined ? [] : [cure])].join("\n"));
  return code === 0;
}

/** Runs steps one after the other. Resolves with the names of those that failed. */
export async function runSteps(steps: readonly Step[]): Promise<string[]> {
  const failed: string[] = [];
  for (const step of steps) if (!(await runStep(step))) failed.push(step.name);
  return failed;
}
