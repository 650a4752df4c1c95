/** A file to import, with its path from the chosen folder. */
export interface FolderFile {
  readonly path: string;
  readonly content: Blob;
}

/** Limits of an import, which the server checks too. */
const MAX_FILES = 200;
const MAX_BYTES = 20 * 1024 * 1024;

/** Whether a file is imported, as by the command line: no part of its path is hidden. */
export function isShown(path: string): boolean {
  return path.split("/").every((part) => !/^\.|^__MACOSX$/.test(part));
}

/**
 * Selects the files to import. A `SKILL.md` without a folder is put into one called `name`. Throws an `Error` with
 * a readable message.
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

/** Throws an `Error` with a readable message if an import would be too large. */
export function checkBytes(bytes: number): void {
  if (bytes > MAX_BYTES) throw new Error("An import can have at most 20 MiB");
}
