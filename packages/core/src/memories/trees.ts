/** The files of a scope as a tree: directories are what paths have in common. */

/** A file as commands see it. */
export interface RememberedFile {
  readonly bytes: number;
  /** Empty where a command does not need it. */
  readonly content: string;
  /** What it says of itself before its text, to whoever reads it; undefined for a file that is trusted. */
  readonly framing?: string | undefined;
}

/** The files of a scope by their paths, and whether a command may change them. */
export interface MemoryTree {
  readonly mayWrite: boolean;
  readonly files: ReadonlyMap<string, RememberedFile>;
}

/** Whether there is a directory at a path: the empty path is that of the scope. */
export function isDirectory({ files }: MemoryTree, path: string): boolean {
  return path === "" || [...files.keys()].some((one) => one.startsWith(`${path}/`));
}

/** A scope of which only what is below a directory is left. */
export function childrenOf({ files, mayWrite }: MemoryTree, path: string): MemoryTree {
  if (path === "") return { files, mayWrite };
  const below = [...files].flatMap(([one, file]): [string, RememberedFile][] =>
    one.startsWith(`${path}/`) ? [[one.slice(path.length + 1), file]] : [],
  );
  return { mayWrite, files: new Map(below) };
}
