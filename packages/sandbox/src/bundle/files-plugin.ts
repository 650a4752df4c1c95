import { posix } from "node:path";
import type { Loader, Plugin } from "esbuild";
import { ImportFault, packageOf } from "./package-manifest.ts";
import { createResolver, type ProgramFiles } from "./resolve-import.ts";

const NAMESPACE = "program";
/** What a package has nothing in place of. */
const EMPTY = "nothing";

/** Gives the bundler the files of a program and of its packages, and nothing else: it reads no disk itself. */
export function filesPlugin(files: ProgramFiles): Plugin {
  const resolve = createResolver(files);
  return {
    name: "files",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path: wanted, importer, kind }) => {
        // A file of that name where the bundler runs would make it "./index.ts".
        if (kind === "entry-point") return { path: posix.normalize(wanted), namespace: NAMESPACE };
        const isRequire = kind === "require-call" || kind === "require-resolve";
        return orFault(() => {
          const { path, isPure } = resolve({ wanted, importer, isRequire });
          if (path === undefined) return { path: EMPTY, namespace: EMPTY };
          return { path, namespace: NAMESPACE, sideEffects: !isPure };
        });
      });
      onLoad({ filter: /.*/, namespace: EMPTY }, () => ({ contents: "", loader: "js" }));
      onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) =>
        orFault(() => ({ contents: files.text(path), loader: loaderOf(path) })),
      );
    },
  };
}

/** The path of a file as the bundler names it; undefined for what is not one. */
export function pathOf(named: string): string | undefined {
  return named.startsWith(`${NAMESPACE}:`) ? named.slice(NAMESPACE.length + 1) : undefined;
}

function orFault<T>(work: () => T): T | { readonly errors: { readonly text: string }[] } {
  try {
    return work();
  } catch (error) {
    if (error instanceof ImportFault) return { errors: [{ text: error.message }] };
    throw error;
  }
}

function loaderOf(path: string): Loader {
  if (/\.m?ts$/.test(path) && packageOf(path) === undefined) return "ts";
  if (/\.[cm]?js$/.test(path)) return "js";
  return path.endsWith(".json") ? "json" : "text";
}
