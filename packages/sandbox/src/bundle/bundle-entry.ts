// A process that bundles one program, and ends. Its standard input is the program, its output the bundle. Only
// types are stripped here, and no package of the workspace is found: imports must need neither.
import { text } from "node:stream/consumers";
import { build, type BuildFailure, type Loader, type Message, type Plugin } from "esbuild";
import type { BundleAnswer, BundleFault } from "@parley/schema";
import type { BundleQuestion } from "./bundle-program.ts";

const NAMESPACE = "program";
/** What an import may leave out. */
const endings = ["", ".ts", ".js", ".mts", ".mjs", "/index.ts", "/index.js"];
const MAX_FAULTS = 20;

/** Files that come from the program alone: nothing is read from a disk. */
function filesPlugin(files: Readonly<Record<string, string>>): Plugin {
  return {
    name: "files",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path: wanted, importer, kind }) => {
        if (kind === "entry-point") return { path: wanted, namespace: NAMESPACE };
        if (!/^\.{1,2}\//.test(wanted)) {
          return {
            errors: [
              { text: `"${wanted}" is not a file of the program: packages are not available` },
            ],
          };
        }
        const found = findFile(files, new URL(wanted, `file:///${importer}`).pathname.slice(1));
        return found === undefined
          ? { errors: [{ text: `The program has no file "${wanted}"` }] }
          : { path: found, namespace: NAMESPACE };
      });
      onLoad({ filter: /.*/, namespace: NAMESPACE }, ({ path }) => ({
        contents: files[path] ?? "",
        loader: loaderOf(path),
      }));
    },
  };
}

function findFile(files: Readonly<Record<string, string>>, path: string): string | undefined {
  // TypeScript names the file that it would be compiled to.
  const written = path.replace(/\.(m?)js$/, ".$1ts");
  const tried = endings.flatMap((ending) => [`${path}${ending}`, `${written}${ending}`]);
  return tried.find((one) => Object.hasOwn(files, one));
}

function loaderOf(path: string): Loader {
  if (/\.m?ts$/.test(path)) return "ts";
  if (/\.m?js$/.test(path)) return "js";
  return path.endsWith(".json") ? "json" : "text";
}

/** From 1, in characters: the bundler counts bytes. */
function columnOf({ lineText, column }: NonNullable<Message["location"]>): number {
  return Buffer.from(lineText).subarray(0, column).toString().length + 1;
}

const faultOf = ({ text: message, location }: Message): BundleFault => ({
  file: location?.file.replace(`${NAMESPACE}:`, "") ?? "",
  line: location?.line ?? 0,
  column: location === null ? 0 : columnOf(location),
  message,
  sourceLine: location?.lineText ?? "",
});

async function bundle({ files, entry, maxBundleBytes }: BundleQuestion): Promise<BundleAnswer> {
  try {
    const built = await build({
      entryPoints: [entry],
      plugins: [filesPlugin(files)],
      bundle: true,
      write: false,
      outfile: "bundle.js",
      format: "esm",
      platform: "neutral",
      target: "es2023",
      charset: "utf8",
      sourcemap: "external",
      sourcesContent: false,
      legalComments: "none",
      tsconfigRaw: {},
      logLevel: "silent",
      logLimit: MAX_FAULTS,
      metafile: true,
    });
    const bytes = built.outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
    if (bytes > maxBundleBytes) {
      const message = `The bundle must be at most ${maxBundleBytes} bytes`;
      return { faults: [{ file: entry, line: 0, column: 0, message, sourceLine: "" }] };
    }
    const { exports = [] } = built.metafile.outputs["bundle.js"] ?? {};
    if (!exports.includes("default")) {
      const message =
        "The entry module has no default export: write `export default async function (input, context) { … }`";
      return { faults: [{ file: entry, line: 0, column: 0, message, sourceLine: "" }] };
    }
    const named = (ending: string) =>
      built.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
    const map = named(".map").replaceAll(`"${NAMESPACE}:`, '"');
    return { bundle: { code: named("bundle.js"), map } };
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (errors === undefined) throw error;
    return { faults: errors.slice(0, MAX_FAULTS).map(faultOf) };
  }
}

const question = JSON.parse(await text(process.stdin)) as BundleQuestion;
process.stdout.write(JSON.stringify(await bundle(question)));
