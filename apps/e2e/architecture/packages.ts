import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../server.ts";

/** A package of the workspace. */
export interface Package {
  /** Its folder, as in `packages/schema`. */
  readonly folder: string;
  /** Its name, as others import it. */
  readonly name: string;
  readonly dependencies: readonly string[];
  readonly devDependencies: readonly string[];
}

/** Every package, read from its package.json. */
export const packages: readonly Package[] = globSync("{packages,apps}/*/package.json", {
  cwd: root,
  exclude: (file) => file.includes("node_modules"),
}).map((file) => {
  const manifest = JSON.parse(readFileSync(path.join(root, file), "utf8")) as {
    name: string;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };
  return {
    folder: path.dirname(file),
    name: manifest.name,
    dependencies: Object.keys(manifest.dependencies ?? {}),
    devDependencies: Object.keys(manifest.devDependencies ?? {}),
  };
});

/** A TypeScript file of the repository. */
export interface Source {
  /** Its path from the root. */
  readonly file: string;
  readonly text: string;
}

/** Every TypeScript file of the packages and apps; templates are of their users. */
export const sources: readonly Source[] = globSync("{packages,apps}/**/*.{ts,tsx}", {
  cwd: root,
  exclude: (file) => /(?:^|\/)(?:node_modules|dist|template)$/.test(file),
}).map((file) => ({ file, text: readFileSync(path.join(root, file), "utf8") }));

export interface Import {
  readonly from: string;
  readonly isType: boolean;
}

function importsIn({ text }: Source): Import[] {
  const statements = text.matchAll(
    /^(?:import|export)\s+(type\s)?(?:[^;"]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm,
  );
  return [...statements].map(([, type, named, dynamic]) => ({
    from: named ?? dynamic ?? "",
    isType: type !== undefined,
  }));
}

/** What a file imports from outside its package, side effects and dynamic imports included. */
export function importsOf(source: Source): Import[] {
  return importsIn(source).filter(({ from }) => !from.startsWith("."));
}

/** The files of its own package that a file imports, types included, by their paths from the root. */
export const filesImportedBy = (source: Source): string[] =>
  filesOf(source).map(({ file }) => file);

/** The same without files of which only types are imported. */
export const filesLoadedBy = (source: Source): string[] =>
  filesOf(source).flatMap(({ file, isType }) => (isType ? [] : file));

const filesOf = (source: Source) =>
  importsIn(source)
    .filter(({ from }) => from.startsWith("."))
    .map(({ from, isType }) => ({ file: path.join(path.dirname(source.file), from), isType }));
