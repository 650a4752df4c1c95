import { exports as exportsOf, imports as importsOf } from "resolve.exports";

/** What the `package.json` of a package says of its files; nothing in it is trusted. */
export interface PackageManifest {
  readonly name?: unknown;
  readonly main?: unknown;
  readonly module?: unknown;
  readonly browser?: unknown;
  readonly exports?: unknown;
  readonly imports?: unknown;
  readonly sideEffects?: unknown;
}

/** A package with its files in a program. */
export interface PackageFolder {
  readonly name: string;
  /** Its path, as in `node_modules/dayjs`. */
  readonly folder: string;
}

/** Why an import cannot be resolved, as its author reads it. */
export class ImportFault extends Error {}

const OF_PACKAGE = /^((?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+))\//s;

/** The package that a file is of, by its path; undefined for a file of the program itself. */
export function packageOf(path: string): PackageFolder | undefined {
  const [, folder, name] = OF_PACKAGE.exec(path) ?? [];
  return folder === undefined || name === undefined ? undefined : { name, folder };
}

/** A package's `package.json`. Throws `ImportFault`. */
export function readManifest({ name, folder }: PackageFolder, json: string): PackageManifest {
  const refuse = (why: string) =>
    new ImportFault(`${folder}/package.json of the package ${name} ${why}`);
  let manifest: unknown;
  try {
    manifest = JSON.parse(json);
  } catch {
    throw refuse("is not valid JSON");
  }
  if (typeof manifest !== "object" || manifest === null || Array.isArray(manifest)) {
    throw refuse("is not a JSON object");
  }
  return manifest;
}

/**
 * What `exports` has for a path in a package, such as `./add`; undefined without `exports`. Functions are given what
 * packages have for browsers: nothing else is made to run without Node. Throws `ImportFault`.
 */
export function findExport(
  manifest: PackageManifest,
  { name }: PackageFolder,
  { path, isRequire }: { readonly path: string; readonly isRequire: boolean },
): string | undefined {
  if (manifest.exports === undefined || manifest.exports === null) return undefined;
  const target = firstOf(() =>
    exportsOf({ ...manifest, name }, path, { browser: true, require: isRequire }),
  );
  if (target !== undefined) return target;
  throw new ImportFault(`The package ${name} does not export "${path}"`);
}

/** What `imports` has for a name such as `#add`. Throws `ImportFault`. */
export function findImport(
  manifest: PackageManifest,
  { name }: PackageFolder,
  { wanted, isRequire }: { readonly wanted: string; readonly isRequire: boolean },
): string {
  const target = firstOf(() =>
    importsOf({ ...manifest, name }, wanted, { browser: true, require: isRequire }),
  );
  if (target !== undefined) return target;
  throw new ImportFault(`The package ${name} does not define "${wanted}" in its imports`);
}

/** The first target; none too if the package's table is not one. */
function firstOf(find: () => readonly unknown[] | void): string | undefined {
  try {
    const [target] = find() ?? [];
    return typeof target === "string" ? target : undefined;
  } catch {
    return undefined;
  }
}

/** The file that a package without `exports` begins with, as it names it. */
export function findMain({ main, module, browser }: PackageManifest, isRequire: boolean): string {
  const named = isRequire ? [browser, main] : [browser, module, main];
  return (
    (named.find((one) => typeof one === "string" && one !== "") as string | undefined) ?? "index"
  );
}

/** What `browser` has in place of one of these names: false for nothing. */
export function findReplacement(
  { browser }: PackageManifest,
  names: readonly string[],
): string | false | undefined {
  if (typeof browser !== "object" || browser === null) return undefined;
  const table = browser as Readonly<Record<string, unknown>>;
  for (const name of names) {
    const found = Object.hasOwn(table, name) ? table[name] : undefined;
    if (found === false || typeof found === "string") return found;
  }
  return undefined;
}
