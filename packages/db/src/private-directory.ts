import { chmod, mkdir, readdir, stat } from "node:fs/promises";

/** A data directory is open to other users, and Parley may not close it. */
export class OpenDirectory extends Error {
  override readonly name = "OpenDirectory";
}

/** Parley's own entries of a data directory. */
const OWN = new Set(["postgresql", "lock.sqlite", "encryption.key", "demo.json"]);
/** An entry of every new file system. */
const LOST_FOUND = "lost+found";
const GROUP_AND_OTHERS = 0o077;
const STICKY = 0o1000;

/**
 * Creates a data directory that only its owner can enter, or closes an existing one to others. Throws
 * `OpenDirectory` if it holds more than Parley's data, or belongs to another user.
 */
export async function ensurePrivateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (!(await isOpenToOthers(directory))) return;
  try {
    await chmod(directory, 0o700);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EPERM") throw cause;
    throw anothers(directory, cause);
  }
}

/**
 * Whether other users can enter a data directory, which a start then closes. Throws `OpenDirectory` if no
 * start may.
 */
export async function isOpenToOthers(directory: string): Promise<boolean> {
  // Windows has no such modes.
  if (process.platform === "win32") return false;
  const { mode, uid } = await stat(directory);
  if ((mode & GROUP_AND_OTHERS) === 0) return false;
  const names = (await readdir(directory)).filter((name) => name !== LOST_FOUND);
  const isOwn = names.length === 0 || names.some((name) => OWN.has(name));
  if (!isOwn || (mode & STICKY) !== 0) {
    throw new OpenDirectory(
      `${directory} is open to other users and contains more than Parley's data: ` +
        "set PARLEY_DATA_DIR to a directory of its own, or close it with chmod 700",
    );
  }
  const user = process.geteuid?.() ?? uid;
  if (user !== 0 && user !== uid) throw anothers(directory);
  return true;
}

const anothers = (directory: string, cause?: unknown): OpenDirectory =>
  new OpenDirectory(
    `${directory} is open to other users and belongs to another user: its owner can close it with chmod 700`,
    { cause },
  );
