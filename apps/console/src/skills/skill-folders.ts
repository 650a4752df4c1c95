/** A file of an import, with its path from the folder that was chosen. */
export interface FolderFile {
  readonly path: string;
  readonly content: Blob;
}

/** Bounds of an import, which the server checks too. */
const MAX_FILES = 200;
const MAX_BYTES = 20 * 1024 * 1024;

/** Whether a path is of a file that the command line sends too: nothing in it is hidden. */
export function isShown(path: string): boolean {
  return path.split("/").every((part) => !/^\.|^__MACOSX$/.test(part));
}

/**
 * The files to send of those that were chosen. A `SKILL.md` outside of a folder is in one that is called
 * `name`. Throws an `Error` with a sentence for people.
 */
export function skillFiles(files: readonly FolderFile[], name: string): FolderFile[] {
  const shown = files.filter(({ path }) => isShown(path));
  const isBare = shown.some(({ path }) => path === "SKILL.md");
  const placed = isBare ? shown.map((file) => ({ ...file, path: `${name}/${file.path}` })) : shown;
  const folders = placed
    .filter(({ path }) => path.endsWith("/SKILL.md"))
    .map(({ path }) => path.slice(0, -"SKILL.md".length));
  if (folders.length === 0)
    throw new Error("No SKILL.md found. Choose a folder or zip that has one");
  const sent = placed.filter(({ path }) => folders.some((folder) => path.startsWith(folder)));
  if (sent.length > MAX_FILES) {
    throw new Error(`An import can have at most ${MAX_FILES} files; you chose ${sent.length}`);
  }
  checkBytes(sent.reduce((bytes, { content }) => bytes + content.size, 0));
  return sent;
}

/** Throws an `Error` with a sentence for people if an import would be too large. */
export function checkBytes(bytes: number): void {
  if (bytes > MAX_BYTES) throw new Error("An import can have at most 20 MiB");
}
