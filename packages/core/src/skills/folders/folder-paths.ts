import { checkFiles } from "./check-files.ts";

const SKILL_FILE = "SKILL.md";
const MAX_NAME = 64;

/** A name that a folder of a skill may have: the skill's own, if it may. */
export function folderNameOf(name: string): string {
  const words = name
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  const folder = (words ?? []).join("-").slice(0, MAX_NAME).replace(/-$/, "");
  return folder === "" ? "skill" : folder;
}

/**
 * Paths for the files of a skill in its folder, in order: their own names, or such that an import takes them,
 * if those collide or are not names of files.
 */
export function filePathsOf(names: readonly string[]): string[] {
  const taken = [SKILL_FILE];
  const bytes = new Uint8Array();
  const isFree = (path: string) =>
    path.split("/").at(-1) !== SKILL_FILE &&
    checkFiles([...taken, path].map((one) => ({ path: one, bytes }))).length === 0;
  return names.map((name) => {
    let path = name;
    for (let count = 1; !isFree(path); count++) path = plainName(name, count);
    taken.push(path);
    return path;
  });
}

/** A file name of plain characters, which differs with `count`. */
function plainName(name: string, count: number): string {
  const plain = name.normalize("NFKC").replaceAll(/[^\p{L}\p{N}._-]+/gu, "_");
  return `${count}-${plain.replace(/^[._]+/, "").slice(-100)}`;
}
