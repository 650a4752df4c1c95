/** A package of npm whose files a program has. */
export interface ProgramPackage {
  readonly name: string;
  readonly version: string;
  /** As the package names it; empty if it names none. */
  readonly license: string;
}

const MANIFEST = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/s;
/** Longer texts are cut: whoever wrote a package chose them. */
const MAX_CHARACTERS = 100;

/** Whether a file of a program is one of its packages, by its path. */
export const isPackageFile = (path: string): boolean => path.startsWith("node_modules/");

/** The files of a program that its author wrote, by their paths. */
export const ownFilesOf = (files: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(files).filter(([path]) => !isPackageFile(path)));

/** The packages of a program's files by name and version, each once: what their own `package.json` says. */
export function packagesOf(files: Readonly<Record<string, string>>): ProgramPackage[] {
  const packages = new Map<string, ProgramPackage>();
  for (const [path, text] of Object.entries(files)) {
    const [, name] = (isPackageFile(path) && MANIFEST.exec(path)) || [];
    if (name === undefined) continue;
    const found = { name, ...readManifest(text) };
    packages.set(`${name}@${found.version}`, found);
  }
  return [...packages]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([, found]) => found);
}

function readManifest(json: string): Omit<ProgramPackage, "name"> {
  const manifest = parseObject(json);
  const { version, license, licenses } = manifest;
  // Older packages have an object, or a list of them.
  const [first = ""] = [license, licenses]
    .flat()
    .map(nameOfLicense)
    .filter((one) => one !== "");
  return { version: textOf(version), license: first };
}

const nameOfLicense = (given: unknown): string =>
  typeof given === "object" && given !== null && "type" in given
    ? textOf(given.type)
    : textOf(given);

const textOf = (given: unknown): string =>
  typeof given === "string" ? given.slice(0, MAX_CHARACTERS) : "";

function parseObject(json: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}
