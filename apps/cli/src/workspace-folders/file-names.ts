import { folderNameOf } from "@parley/core/skill-folders";

/** Names that are devices on some systems. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;

/**
 * Names of files for things, by the things' names: lowercase letters, digits and hyphens alone, so that no name
 * leads elsewhere, and each once on every file system. Equal names give equal files.
 */
export function fileNamesOf(names: readonly string[]): Map<string, string> {
  const taken = new Set<string>(["readme"]);
  const files = new Map<string, string>();
  // A name that is its own file keeps it, whatever comes before.
  const isOwn = (name: string): boolean => folderNameOf(name) === name;
  const sorted = names.toSorted(
    (one, other) => Number(isOwn(other)) - Number(isOwn(one)) || (one < other ? -1 : 1),
  );
  for (const name of sorted) {
    const plain = folderNameOf(name);
    const base = DEVICE.test(plain) ? `${plain}-1` : plain;
    let file = base;
    for (let count = 2; taken.has(file); count++) file = `${base.slice(0, 58)}-${count}`;
    taken.add(file);
    files.set(name, file);
  }
  return files;
}
