import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { DatabaseSync } from "node:sqlite";
import { ensurePrivateDirectory, OpenDirectory } from "./private-directory.ts";

/** Another process has the data directory open. */
export class DirectoryInUse extends Error {
  override readonly name = "DirectoryInUse";
}

/** The data directory cannot be written to. */
export class DirectoryUnusable extends Error {
  override readonly name = "DirectoryUnusable";
}

export interface DirectoryLock {
  release(): void;
}

const SQLITE_BUSY = 5;
/** Grace period for a predecessor that is just ending. */
const GRACE_MS = 300;

/**
 * Locks a data directory; creates it if necessary and closes it to other users. Its owner ends any
 * PostgreSQL in it, so the operating system must free the lock when its holder dies: the lock is SQLite's
 * on a side file, independent of process ids and times. Throws `DirectoryInUse`, `OpenDirectory`, and
 * `DirectoryUnusable` if the disk is full, read-only or without locks.
 */
export async function lockDirectory(directory: string): Promise<DirectoryLock> {
  await ensurePrivateDirectory(directory).catch((error: unknown) => {
    throw error instanceof OpenDirectory ? error : unusable(directory, error);
  });
  const holderFile = path.join(directory, "holder.json");
  let file: DatabaseSync | undefined;
  try {
    file = lockFile(path.join(directory, "lock.sqlite"));
    const holder = { pid: process.pid, startedAt: new Date().toISOString() };
    writeFileSync(holderFile, JSON.stringify(holder), { mode: 0o600 });
  } catch (cause) {
    file?.close();
    const isBusy = (cause as { errcode?: number }).errcode === SQLITE_BUSY;
    const refusal = isBusy ? cause : unusable(directory, cause);
    if (refusal === cause) refuseLockless(directory, cause);
    if (!isBusy) throw refusal;
    throw new DirectoryInUse(
      `${directory} is in use by ${describeHolder(holderFile)}: stop that, or set PARLEY_DATA_DIR to ` +
        "a directory of its own",
      { cause },
    );
  }
  const held = file;
  return {
    release: () => {
      rmSync(holderFile, { force: true });
      held.close();
    },
  };
}

/** The process that has a data directory open, in words; undefined if none has. It changes nothing. */
export function findHolder(directory: string): string | undefined {
  const name = path.join(directory, "lock.sqlite");
  if (!existsSync(name)) return undefined;
  const file = new DatabaseSync(name, { readOnly: true });
  try {
    // The holder's lock excludes readers.
    file.prepare("select count(*) from sqlite_master").get();
    return undefined;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
    return describeHolder(path.join(directory, "holder.json"));
  } finally {
    file.close();
  }
}

/**
 * Locks a cluster beside its directory's lock, which people remove who take it for left over: whoever has the
 * cluster still runs PostgreSQL on it. Throws `DirectoryInUse`.
 */
export function lockCluster(cluster: string): DirectoryLock {
  const name = path.join(cluster, "lock.sqlite");
  try {
    const file = lockFile(name);
    return { release: () => file.close() };
  } catch (cause) {
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
    throw new DirectoryInUse(
      `${path.dirname(cluster)} is in use by another process, although its lock.sqlite was removed: stop that ` +
        "process, or set PARLEY_DATA_DIR to a directory of its own",
      { cause },
    );
  }
}

function lockFile(name: string): DatabaseSync {
  const file = new DatabaseSync(name, { timeout: GRACE_MS });
  try {
    file.exec("begin exclusive");
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
}

/**
 * Throws `DirectoryUnusable` if a new file cannot be locked either: some network file systems refuse
 * every lock as taken.
 */
function refuseLockless(directory: string, cause: unknown): void {
  const trial = path.join(directory, "lock-trial.sqlite");
  try {
    lockFile(trial).close();
  } catch {
    const why = "its file system has no locks: set PARLEY_DATA_DIR to a directory of a local disk";
    throw new DirectoryUnusable(`${directory} cannot be used: ${why}`, { cause });
  } finally {
    rmSync(trial, { force: true });
  }
}

/** Free bytes below which a disk counts as full: the size of the database's next log file. */
const FULL_BYTES = 16 * 1024 * 1024;

/** `DirectoryUnusable` for a directory that cannot be written to; else the given error. */
export function unusable(directory: string, cause: unknown): unknown {
  const why = whyUnusable(directory, cause);
  return why === undefined
    ? cause
    : new DirectoryUnusable(`${directory} cannot be used: ${why}`, { cause });
}

const DISK_FULL = "its disk is full: free some space";
const ELSEWHERE = "set PARLEY_DATA_DIR to a directory that this user may write to";

const whyNotWritten: Readonly<Record<string, string>> = {
  EROFS: "its disk is read-only",
  ENOENT: "it cannot be created",
  ENOTDIR: "a part of its path is not a directory",
};

/** Messages of PostgreSQL, the system and SQLite for a full disk. */
const FULL = /No space left on device|ENOSPC|database or disk is full/;

function whyUnusable(directory: string, cause: unknown): string | undefined {
  if (cause instanceof Error && FULL.test(cause.message)) return DISK_FULL;
  try {
    accessSync(directory, constants.W_OK);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    return `${whyNotWritten[code] ?? "it may not be written to"}: ${ELSEWHERE}`;
  }
  if (!statSync(directory).isDirectory()) return `it is not a directory: ${ELSEWHERE}`;
  const { bavail, bsize } = statfsSync(directory);
  return bavail * bsize < FULL_BYTES ? DISK_FULL : undefined;
}

function describeHolder(holderFile: string): string {
  try {
    const holder: unknown = JSON.parse(readFileSync(holderFile, "utf8"));
    if (typeof holder === "object" && holder !== null && "pid" in holder && "startedAt" in holder) {
      return `process ${String(holder.pid)}, started at ${String(holder.startedAt)}`;
    }
  } catch {
    // The holder is only named for convenience.
  }
  return "another process";
}
