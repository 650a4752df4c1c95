import { type Issue, MAX_SKILL_BYTES, MAX_SKILL_FILES } from "@parley/schema";

/** A file of an upload; its path has slashes and is relative to the uploaded folder. */
export interface FolderFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly isExecutable?: boolean | undefined;
}

const MAX_PATH_CHARACTERS = 1024;
const MAX_NAME_CHARACTERS = 255;

/** The faults in the names, the number and the size of the files. */
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
  // First, because later messages print the path.
  if (!path.isWellFormed() || controls.test(path)) {
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

/** Control characters, line separators, and characters that change the direction of text. */
const controls = /[\p{Cc}\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

function printable(path: string): string {
  return path
    .slice(0, MAX_PATH_CHARACTERS)
    .toWellFormed()
    .replaceAll(new RegExp(controls, "gu"), "\uFFFD");
}

/** Files whose names some file systems do not distinguish, and files with the name of a folder. */
function findCollisions(files: readonly FolderFile[]): Issue[] {
  const fold = (path: string) => path.normalize("NFC").toLowerCase();
  const folders = new Set<string>();
  for (const { path } of files) {
    const folded = fold(path);
    for (let at = folded.indexOf("/"); at !== -1; at = folded.indexOf("/", at + 1)) {
      folders.add(folded.slice(0, at));
    }
  }
  const seen = new Set<string>();
  return files.flatMap(({ path }): Issue[] => {
    const folded = fold(path);
    if (seen.has(folded))
      return [{ path, message: "another file has this name, or a similar one" }];
    seen.add(folded);
    return folders.has(folded) ? [{ path, message: "a folder also has this name" }] : [];
  });
}
