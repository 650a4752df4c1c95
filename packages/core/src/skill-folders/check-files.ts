import { type Issue, MAX_SKILL_BYTES, MAX_SKILL_FILES } from "@parley/schema";

/** A file of an upload; its path has slashes, and begins in the folder that was uploaded. */
export interface FolderFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

const MAX_PATH_CHARACTERS = 1024;
const MAX_NAME_CHARACTERS = 255;

/** What is wrong with the names, the number and the size of the files: nothing, where it is empty. */
export function checkFiles(files: readonly FolderFile[]): Issue[] {
  if (files.length > MAX_SKILL_FILES) {
    return [{ path: "files", message: `must be at most ${MAX_SKILL_FILES} files` }];
  }
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  if (bytes > MAX_SKILL_BYTES) {
    return [{ path: "files", message: `must be at most ${MAX_SKILL_BYTES} bytes in all` }];
  }
  const issues = files.flatMap(({ path }): Issue[] => {
    const message = findFaultOfPath(path);
    return message === undefined ? [] : [{ path: printable(path), message }];
  });
  return issues.length > 0 ? issues : findCollisions(files);
}

function findFaultOfPath(path: string): string | undefined {
  // Before anything prints it.
  if (!path.isWellFormed() || hasControls(path)) {
    return "the name must not have control characters";
  }
  if (path.length > MAX_PATH_CHARACTERS) {
    return `the path must be at most ${MAX_PATH_CHARACTERS} characters`;
  }
  if (path.includes("\\")) return "the name must not have a backslash: names are split by /";
  if (path.startsWith("/") || /^[A-Za-z]:/.test(path)) return "the name must not be absolute";
  const names = path.split("/");
  if (names.some((name) => name === "." || name === "..")) return "the name must not have . or ..";
  if (names.includes("")) return "the name must not be empty";
  if (names.some((name) => name.length > MAX_NAME_CHARACTERS)) {
    return `a name must be at most ${MAX_NAME_CHARACTERS} characters`;
  }
  return undefined;
}

/** Control characters, line separators, and what turns the direction of the text around it. */
const controls = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function hasControls(path: string): boolean {
  return controls.test(path);
}

function printable(path: string): string {
  return path
    .slice(0, MAX_PATH_CHARACTERS)
    .toWellFormed()
    .replaceAll(new RegExp(controls, "gu"), "\uFFFD");
}

/** Files that some disks take for one, and files that stand where a folder is. */
function findCollisions(files: readonly FolderFile[]): Issue[] {
  const fold = (path: string) => path.normalize("NFC").toLowerCase();
  const folders = new Set<string>();
  for (const { path } of files) {
    const names = fold(path).split("/");
    for (let end = 1; end < names.length; end++) folders.add(names.slice(0, end).join("/"));
  }
  const seen = new Set<string>();
  return files.flatMap(({ path }): Issue[] => {
    const folded = fold(path);
    if (seen.has(folded)) return [{ path, message: "another file has this name, or one alike" }];
    seen.add(folded);
    return folders.has(folded) ? [{ path, message: "a folder has this name too" }] : [];
  });
}
