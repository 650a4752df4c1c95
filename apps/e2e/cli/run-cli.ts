import process from "node:process";
import { Exit, openMemoryIo } from "@parley/command/testing";
import { type Connect, connectClients, runProgram } from "parley-server";
import { inject } from "vitest";

/** What a command printed, and how it ended. */
export interface Ran {
  /** Null if a signal ended its process. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunOptions {
  readonly stdin?: string;
  /** Its environment is nothing but this. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Makes its streams those of a terminal of this width. */
  readonly columns?: number;
  /** By default a folder without a `.env`. */
  readonly cwd?: string;
  /** Makes its clients; by default those that users have. */
  readonly connect?: Connect;
}

/**
 * Runs `parley` with these arguments to its end in this process, from its sources. What only a process shows (signals,
 * its exit, a real terminal) is for `startProgram`.
 */
export async function runCli(
  args: readonly string[],
  { stdin, environment, columns, cwd = inject("build"), connect = connectClients }: RunOptions = {},
): Promise<Ran> {
  const { io, output } = openMemoryIo({ stdin, environment, columns });
  return inFolder(cwd, async () => {
    const code = await runProgram(args, io, connect).catch((error: unknown) => {
      if (error instanceof Exit) return error.code;
      throw error;
    });
    return { code, ...output };
  });
}

/** The folder in which commands run, as long as there are any: a process has one. */
let current: { readonly folder: string; running: number; readonly idle: Promise<void> } | undefined;
let leave = (): void => {};

/** Runs something in a folder, with the mask of `main.ts`; what is for other folders waits. */
async function inFolder<T>(folder: string, run: () => Promise<T>): Promise<T> {
  while (current !== undefined && current.folder !== folder) await current.idle;
  current ??= enter(folder);
  current.running += 1;
  try {
    return await run();
  } finally {
    current.running -= 1;
    if (current.running === 0) leave();
  }
}

function enter(folder: string) {
  const before = { folder: process.cwd(), mask: process.umask(0o077) };
  process.chdir(folder);
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  leave = () => {
    process.chdir(before.folder);
    process.umask(before.mask);
    current = undefined;
    resolve();
  };
  return { folder, running: 0, idle };
}
