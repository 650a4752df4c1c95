import { isBuiltin } from "node:module";
import { posix } from "node:path";
import {
  findExport,
  findImport,
  findMain,
  findReplacement,
  ImportFault,
  type PackageFolder,
  type PackageManifest,
  packageOf,
  readManifest,
} from "./package-manifest.ts";

/** Where the files of a program and of its packages are found. Throws `ImportFault`. */
export interface ProgramFiles {
  has(path: string): boolean;
  /** The text of a file that is there. */
  text(path: string): string;
  /** Where the folder of a package is, links followed, that the files of another folder import. */
  locate(found: PackageFolder, from: string): string;
}

/** An import in a file. */
export interface WantedImport {
  readonly wanted: string;
  /** The path of the file that has it. */
  readonly importer: string;
  readonly isRequire: boolean;
}

/** The file that an import is of; no path if it is of nothing. */
export interface FoundImport {
  readonly path: string | undefined;
  /** Whether the file may be left out if nothing of it is used. */
  readonly isPure: boolean;
}

/** What an import in a file of the program may leave out. */
const ownEndings = ["", ".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js"];
/** And in a file of a package, as in Node and in bundlers. */
const endings = ["", ".js", ".mjs", ".cjs", ".json"];
const indexes = ["/index.js", "/index.mjs", "/index.cjs", "/index.json"];

const RELATIVE = /^\.{1,2}(?:\/|$)/;
const NATIVE = /\.node$/i;
const BARE = /^((?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*)(\/.*)?$/s;

/**
 * Resolves the imports of a program among its files and those of its packages, as Node does: packages are in
 * `node_modules`, and have `exports` or `main`. No import leads out of the package that has it, but to another package.
 * Throws `ImportFault`.
 */
export function createResolver(files: ProgramFiles): (wanted: WantedImport) => FoundImport {
  const manifests = new Map<string, PackageManifest>();
  const manifestOf = (found: PackageFolder): PackageManifest => {
    const { folder } = found;
    return manifests.getOrInsertComputed(folder, () =>
      readManifest(found, files.text(`${folder}/package.json`)),
    );
  };

  /** The package of a name that the files of a folder import, in the nearest `node_modules`. */
  const findPackage = (name: string, from: string): PackageFolder | undefined => {
    for (let place = from; ; place = posix.dirname(place)) {
      const folder = posix.join(place, "node_modules", name);
      if (posix.basename(place) !== "node_modules" && files.has(`${folder}/package.json`)) {
        return { name, folder: files.locate({ name, folder }, from) };
      }
      if (place === ".") return undefined;
    }
  };

  /** The first of these files that is there, if it is of the package. */
  const firstOf = (of: PackageFolder, paths: readonly string[]): string | undefined =>
    paths.find((path) => packageOf(path)?.folder === of.folder && files.has(path));

  /** A file of a package by its path in it, or that of a folder in it. */
  const findInside = (
    of: PackageFolder,
    inside: string,
    isRequire: boolean,
  ): string | undefined => {
    const path = posix.join(of.folder, inside, ".");
    const named = inside.endsWith("/") ? [] : endings.map((ending) => `${path}${ending}`);
    return firstOf(of, named) ?? findEntry(of, path, isRequire);
  };

  /** The file that a folder of a package begins with. */
  const findEntry = (of: PackageFolder, folder: string, isRequire: boolean): string | undefined => {
    const file = firstOf(of, [`${folder}/package.json`]);
    if (file !== undefined) {
      const main = findMain(readManifest({ ...of, folder }, files.text(file)), isRequire);
      const path = posix.join(folder, main, ".");
      if (packageOf(`${path}/`)?.folder !== of.folder) throw leadsOut(of, file, main);
      const found = firstOf(
        of,
        [...endings, ...indexes].map((ending) => `${path}${ending}`),
      );
      if (found !== undefined) return found;
    }
    return firstOf(
      of,
      indexes.map((ending) => `${folder}${ending}`),
    );
  };

  /** The file that a table of a package names exactly. */
  const findTarget = (of: PackageFolder, target: string): string => {
    const path = posix.join(of.folder, target);
    if (!target.startsWith("./") || packageOf(path)?.folder !== of.folder) {
      throw leadsOut(of, `${of.folder}/package.json`, target);
    }
    if (files.has(path)) return path;
    throw hasNoFile(of, target);
  };

  /** What a package has for browsers in place of a file or of another package. */
  const replace = (
    of: PackageFolder,
    given: {
      readonly names: readonly string[];
      readonly path: string;
      readonly isRequire: boolean;
    },
  ): FoundImport => {
    const manifest = manifestOf(of);
    const isPure = manifest.sideEffects === false;
    const other = findReplacement(manifest, given.names);
    if (other === undefined) return { path: given.path, isPure };
    if (other === false) return { path: undefined, isPure };
    const path = findInside(of, other, given.isRequire);
    if (path === undefined) throw leadsOut(of, `${of.folder}/package.json`, other);
    return { path, isPure };
  };

  /** A file of a package, or what the package has for browsers in place of it. */
  const inPackage = (of: PackageFolder, path: string, isRequire: boolean): FoundImport => {
    const inside = `./${path.slice(of.folder.length + 1)}`;
    const names = [inside, inside.replace(/(?:\/index)?\.[^./]+$/, "")];
    return replace(of, { names, path, isRequire });
  };

  const resolveOwn = ({ wanted, importer }: WantedImport): FoundImport => {
    const path = posix.join(posix.dirname(importer), wanted);
    const found = path.startsWith("node_modules/") ? undefined : findOwn(files, path);
    if (found === undefined) throw new ImportFault(`The program has no file "${wanted}"`);
    return { path: found, isPure: false };
  };

  const resolveRelative = (
    of: PackageFolder,
    { wanted, importer, isRequire }: WantedImport,
  ): FoundImport => {
    const path = posix.join(posix.dirname(importer), wanted);
    if (packageOf(`${path}/`)?.folder !== of.folder) {
      throw new ImportFault(`"${wanted}" leads out of the package ${of.name}`);
    }
    const found = findInside(of, posix.relative(of.folder, path), isRequire);
    if (found === undefined) throw hasNoFile(of, wanted);
    return inPackage(of, found, isRequire);
  };

  const resolvePackage = (
    importing: PackageFolder | undefined,
    { wanted, importer, isRequire }: WantedImport,
  ): FoundImport => {
    const refuse = (why: string) =>
      new ImportFault(`"${wanted}" is not a file of the program: ${why}`);
    const [, name, rest = ""] = BARE.exec(wanted) ?? [];
    const ofNode = "modules of Node are not available";
    if (wanted.startsWith("node:")) throw refuse(ofNode);
    if (name === undefined) throw refuse("imports name relative paths and packages");
    const isItself =
      importing?.name === name && (manifestOf(importing).exports ?? undefined) !== undefined;
    const found = isItself ? importing : findPackage(name, posix.dirname(importer));
    if (found === undefined) {
      throw refuse(isBuiltin(wanted) ? ofNode : `the package ${name} is not installed`);
    }
    const manifest = manifestOf(found);
    const path = rest === "/" ? "" : rest;
    const target = findExport(manifest, found, { path: `.${path}`, isRequire });
    if (target !== undefined) return inPackage(found, findTarget(found, target), isRequire);
    const file =
      path === ""
        ? findEntry(found, found.folder, isRequire)
        : findInside(found, `.${path}`, isRequire);
    if (file !== undefined) return inPackage(found, file, isRequire);
    throw hasNoFile(found, path === "" ? findMain(manifest, isRequire) : `.${path}`);
  };

  const resolve = (given: WantedImport): FoundImport => {
    const importing = packageOf(given.importer);
    if (importing === undefined) {
      return RELATIVE.test(given.wanted) ? resolveOwn(given) : resolvePackage(undefined, given);
    }
    if (RELATIVE.test(given.wanted)) return resolveRelative(importing, given);
    const { wanted, isRequire } = given;
    const manifest = manifestOf(importing);
    if (wanted.startsWith("#")) {
      const target = findImport(manifest, importing, { wanted, isRequire });
      if (RELATIVE.test(target)) {
        return inPackage(importing, findTarget(importing, target), isRequire);
      }
      return resolvePackage(importing, { ...given, wanted: target });
    }
    const other = findReplacement(manifest, [wanted]);
    if (other === undefined) return resolvePackage(importing, given);
    if (typeof other === "string" && !RELATIVE.test(other)) {
      return resolvePackage(importing, { ...given, wanted: other });
    }
    return replace(importing, { names: [wanted], path: "", isRequire });
  };

  return (given) => {
    const { wanted, importer } = given;
    const native = (path: string): ImportFault => {
      const name = packageOf(path)?.name;
      const of = name === undefined ? "" : ` of the package ${name}`;
      return new ImportFault(`"${wanted}" is native code${of}, which functions cannot run`);
    };
    if (NATIVE.test(wanted)) throw native(importer);
    const found = resolve(given);
    if (found.path !== undefined && NATIVE.test(found.path)) throw native(found.path);
    return found;
  };
}

function findOwn(files: ProgramFiles, path: string): string | undefined {
  // TypeScript names the file that it would be compiled to.
  const written = path.replace(/\.(m?)js$/, ".$1ts");
  const tried = ownEndings.flatMap((ending) => [`${path}${ending}`, `${written}${ending}`]);
  return tried.find(files.has);
}

const leadsOut = ({ name }: PackageFolder, file: string, target: string): ImportFault =>
  new ImportFault(`${file} of the package ${name} leads out of it: "${target}"`);

const hasNoFile = ({ name }: PackageFolder, wanted: string): ImportFault =>
  new ImportFault(`The package ${name} has no file "${wanted}"`);
