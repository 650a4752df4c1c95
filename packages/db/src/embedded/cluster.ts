import { mkdtemp, open, readdir, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { DirectoryUnusable } from "../lock.ts";
import { giveTo, type Runner } from "./choose-runner.ts";
import { isThere, MAJOR } from "./programs.ts";
import { runProgram } from "./run-program.ts";

/** The superuser of the cluster, for Parley and for people with `psql`. */
export const ROLE = "parley";
/** Prefix of the folder of an incomplete cluster. */
const DRAFT = "postgresql-new-";

/** Text is ordered by code point, independent of the machine's C library. */
const LOCALE = [
  "--encoding=UTF8",
  "--locale-provider=builtin",
  "--builtin-locale=C.UTF-8",
  "--locale=C",
];

/** Path of the cluster of a data directory. */
export function clusterIn(directory: string): string {
  return path.join(directory, "postgresql");
}

/** Path of the database of older versions. */
const oldClusterIn = (directory: string): string => path.join(directory, "pglite");

/** Whether a data directory holds a database, even an unsupported one. */
export async function holdsDatabase(directory: string): Promise<boolean> {
  return (await isThere(clusterIn(directory))) || isThere(oldClusterIn(directory));
}

/** Throws `DirectoryUnusable` if the directory holds a database that the programs cannot read. */
export async function refuseForeignCluster(directory: string): Promise<void> {
  const cluster = clusterIn(directory);
  if (await isThere(cluster)) {
    const found = await readFile(path.join(cluster, "PG_VERSION"), "utf8").catch(() => "");
    if (found.trim() === MAJOR) return;
    const origin =
      found === "" ? "is not a PostgreSQL database" : `was created by PostgreSQL ${found.trim()}`;
    throw new DirectoryUnusable(
      `${cluster} ${origin}, and this version of Parley runs PostgreSQL ${MAJOR}: export it with ` +
        "the version that created it, and import it into a new directory (parley export, parley import)",
    );
  }
  if (await isThere(oldClusterIn(directory))) {
    throw new DirectoryUnusable(
      `${directory} contains a database of an older version of Parley, created by PGlite, which this one ` +
        "does not read: export it with that version (parley export <file>), set PARLEY_DATA_DIR to " +
        "a new directory, and import it with this one (parley import <file>)",
    );
  }
}

/**
 * Creates the cluster of a locked data directory unless there is one, and makes the account its owner. The
 * cluster gets its name once it is complete and on the disk.
 */
export async function ensureCluster(
  directory: string,
  runner: Runner,
  flags: readonly string[],
): Promise<void> {
  const cluster = clusterIn(directory);
  for (const name of await readdir(directory)) {
    if (name.startsWith(DRAFT)) await rm(path.join(directory, name), { recursive: true });
  }
  if (await isThere(cluster)) return giveTo(cluster, runner.account);
  const draft = await mkdtemp(path.join(directory, DRAFT));
  await giveTo(draft, runner.account);
  const command = [runner.programs.initdb, "--pgdata", draft, "--username", ROLE, ...flags];
  await runProgram(runner.account, [...command, ...LOCALE], directory);
  await rename(draft, cluster);
  await using folder = await open(directory);
  // Windows has no such call.
  if (process.platform !== "win32") await folder.sync();
}
