import { readFileSync, realpathSync, statSync } from "node:fs";
import path from "node:path";
import { ImportFault, type PackageFolder, packageOf } from "./package-manifest.ts";
import type { ProgramFiles } from "./resolve-import.ts";

/** Files of a program whose packages are installed, and what of them was read. */
export interface InstalledFiles extends ProgramFiles {
  /** The texts of packages' files, by their paths. */
  readonly read: ReadonlyMap<string, string>;
  /** The folders of packages by their names, by the folder of the package that imports them; it is empty for the program. */
  readonly links: ReadonlyMap<string, ReadonlyMap<string, string>>;
}

/**
 * The files of a program whose packages are installed in a folder. A link is followed to a package within the folder's
 * `node_modules`, and nowhere else. Throws `ImportFault`.
 */
export function openInstalled(
  own: Readonly<Record<string, string>>,
  { folder, maxBytes }: { readonly folder: string; readonly maxBytes: number },
): InstalledFiles {
  const read = new Map<string, string>();
  const links = new Map<string, Map<string, string>>();
  const root = realpathSync(folder);
  const placeOf = (file: string): string => path.join(root, ...file.split("/"));
  const pathOf = (place: string): string => path.relative(root, place).split(path.sep).join("/");

  const has = (file: string): boolean =>
    Object.hasOwn(own, file) || (file.startsWith("node_modules/") && isFile(placeOf(file)));

  const readText = (file: string): string => {
    const of = packageOf(file)?.name ?? "";
    const place = placeOf(file);
    if (pathOf(realpathSync(place)) !== file) {
      throw new ImportFault(`${file} of the package ${of} is a link, which is not followed`);
    }
    const { size } = statSync(place);
    if (size > maxBytes) {
      throw new ImportFault(
        `${file} of the package ${of} has ${size} bytes, and a function may have ${maxBytes}`,
      );
    }
    try {
      return new TextDecoder("utf8", { fatal: true, ignoreBOM: true }).decode(readFileSync(place));
    } catch {
      throw new ImportFault(`${file} of the package ${of} is not UTF-8 text`);
    }
  };

  const followLink = ({ name, folder: given }: PackageFolder): string => {
    const found = pathOf(realpathSync(placeOf(given)));
    const isInside = found.startsWith("node_modules/") && packageOf(`${found}/`)?.folder === found;
    if (isInside) return found;
    throw new ImportFault(
      `${given} of the package ${name} is a link out of the folder's node_modules: install the package in the folder itself`,
    );
  };

  return {
    read,
    links,
    has,
    text: (file) =>
      Object.hasOwn(own, file)
        ? (own[file] ?? "")
        : read.getOrInsertComputed(file, () => readText(file)),
    locate: (found, from) => {
      const at = followLink(found);
      const importing = packageOf(`${from}/`)?.folder ?? "";
      links.getOrInsertComputed(importing, () => new Map()).set(found.name, at);
      return at;
    },
  };
}

function isFile(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    // A circle of links, or a name that is too long.
    return false;
  }
}
