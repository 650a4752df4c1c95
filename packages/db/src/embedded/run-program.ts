import { execFile } from "node:child_process";
import { ProgramFailed } from "./refusals.ts";

/** The account that runs PostgreSQL, which refuses root (docs/decisions/embedded-postgresql.md). */
export interface Account {
  /** The user to become; undefined for the user of Parley. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  /** Prefix of all commands. */
  readonly prefix: readonly string[];
}

/** The whole environment of the programs: only the locale of messages. */
const ENVIRONMENT = { LC_ALL: "C" };

/** The options of `spawn` that run a program as an account. */
export function spawnOptions({ user }: Account, cwd: string) {
  return { cwd, env: ENVIRONMENT, ...user };
}

/** Runs a program to its end. Throws `ProgramFailed` with the last line that it printed. */
export async function runProgram(
  account: Account,
  command: readonly string[],
  cwd: string,
): Promise<void> {
  const [file = "", ...args] = [...account.prefix, ...command];
  return new Promise((resolve, reject) => {
    execFile(file, args, spawnOptions(account, cwd), (cause, stdout, stderr) => {
      if (cause === null) return resolve();
      const words = lastLine(stderr) || lastLine(stdout) || cause.message;
      reject(new ProgramFailed(words, { cause }));
    });
  });
}

/** The line of a failed program's output that has the reason. */
export function lastLine(text: string): string {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  // After a full disk, later lines are about its consequences.
  const cause = lines.find((line) => /No space left on device|Read-only file system/.test(line));
  const error = lines.findLast((line) => /\b(?:error|FATAL|PANIC):/.test(line));
  return (cause ?? error ?? lines.at(-1) ?? "").trim();
}
