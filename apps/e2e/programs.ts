import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";
import type { Settings } from "./place.ts";

/** A process that runs `parley`. */
export interface Program {
  readonly pid: number;
  /** What it has printed so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Resolves with the exit code once the process is gone; null if a signal ended it. */
  readonly exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

const children = new Set<ChildProcess>();
const killChildren = (): void => {
  for (const child of children) child.kill("SIGKILL");
};
process.on("exit", killChildren);
// How vitest ends a worker whose tests took too long.
process.once("SIGTERM", () => {
  killChildren();
  process.exit();
});

/** Ends a child when this process ends, however it ends. */
export function endWithThisProcess(child: ChildProcess): void {
  children.add(child);
  child.once("close", () => children.delete(child));
}

/** A file of the run's build of the server. */
export function builtFile(name: string): string {
  return path.join(inject("build"), "bin", name);
}

/** Lets Node keep what it has compiled of the run's build, beside it. */
export const compileCache = () => ({ NODE_COMPILE_CACHE: path.join(inject("build"), "compiled") });

export interface ProgramOptions {
  readonly cwd?: string;
  readonly main?: readonly string[];
  readonly input?: string;
  /** The user, and group, that it runs as instead of this process's. */
  readonly uid?: number;
  /** Descriptor that it prints to instead of `output`. */
  readonly log?: number;
}

/**
 * Starts `parley` with these arguments and, of the environment, nothing but these settings; `input` is its
 * standard input.
 */
export function startProgram(
  args: readonly string[],
  settings: Settings,
  // By default in a folder without a `.env`.
  { cwd = inject("build"), main = [builtFile("parley.js")], input, uid, log }: ProgramOptions = {},
): Program {
  const child = spawn(process.execPath, [...main, ...args], {
    cwd,
    env: { ...compileCache(), ...settings },
    stdio: ["pipe", log ?? "pipe", log ?? "pipe"],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  endWithThisProcess(child);
  // A program that does not read may be gone before it is written.
  child.stdin?.on("error", () => {}).end(input);
  const output = { stdout: "", stderr: "" };
  child.stdout?.setEncoding("utf8").on("data", (text: string) => (output.stdout += text));
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (output.stderr += text));
  const exited = once(child, "close").then(([code]) => code as number | null);
  return { pid: child.pid ?? 0, output, exited, signal: (name) => void child.kill(name) };
}

/** Looks every 20 ms until there is a value, and no longer than `gracePeriodMs`. */
export async function eventually<T>(
  look: () => Promise<{ value?: T; stop?: Error }>,
  gracePeriodMs: number,
): Promise<T> {
  const deadline = performance.now() + gracePeriodMs;
  for (;;) {
    const { value, stop } = await look();
    if (stop !== undefined) throw stop;
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`Nothing came within ${gracePeriodMs} ms`);
    await sleep(20);
  }
}

/** The promise's result, or an error when it takes longer. */
export async function within<T>(gracePeriodMs: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`It took longer than ${gracePeriodMs} ms`)),
    gracePeriodMs,
  );
  return Promise.race([promise, late.promise]).finally(() => clearTimeout(timer));
}
