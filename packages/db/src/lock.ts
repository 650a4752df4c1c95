import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Another process has the data directory open. */
export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse";
}

export interface DirectoryLock {
  release(): void;
}

/** How long a start waits for a predecessor that is just ending. */
const PATIENCE_MS = 300;

/**
 * Locks a data directory, which it makes if need be. Two PGlite processes on one directory lose each other's acknowledged
 * writes, so the lock is one that the operating system frees when its holder dies, however it dies:
 * SQLite's lock on a side file. Process ids and ages decide nothing. Throws `DirectoryInUse`.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const holderFile = path.join(directory, "holder.json");
  const file = new DatabaseSync(path.join(directory, "lock.sqlite"), { timeout: PATIENCE_MS });
  try {
    file.exec("begin exclusive");
  } catch (cause) {
    file.close();
    throw new DirectoryInUse(`${directory} is in use by ${describeHolder(holderFile)}`, { cause });
  }
  const holder = { pid: process.pid, startedAt: new Date().toISOString() };
  writeFileSync(holderFile, JSON.stringify(holder), { mode: 0o600 });
  return {
    release: () => {
      rmSync(holderFile, { force: true });
      file.close();
    },
  };
}

function describeHolder(holderFile: string): string {
  try {
    const holder: unknown = JSON.parse(readFileSync(holderFile, "utf8"));
    if (typeof holder === "object" && holder !== null && "pid" in holder && "startedAt" in holder) {
      return `process ${String(holder.pid)}, started at ${String(holder.startedAt)}`;
    }
  } catch {
    // The holder is only named to help; the lock has already been refused.
  }
  return "another process";
}
