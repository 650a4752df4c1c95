import { build, type BuildFailure, type BuildOptions, type Message } from "esbuild";
import type { BundleAnswer, BundleFault } from "@parley/schema";
import type { BundleQuestion, CollectAnswer } from "./bundle-program.ts";
import { collectPackages } from "./collect-packages.ts";
import { filesPlugin, pathOf } from "./files-plugin.ts";
import { openInstalled } from "./installed-files.ts";
import { ImportFault, packageOf } from "./package-manifest.ts";

const MAX_FAULTS = 20;

/** From 1, in characters: the bundler counts bytes. */
function columnOf({ lineText, column }: NonNullable<Message["location"]>): number {
  return Buffer.from(lineText).subarray(0, column).toString().length + 1;
}

/** What the bundler leaves to run time, and a function has nobody to do. */
const unsupported: Readonly<Record<string, string>> = {
  "unsupported-dynamic-import":
    "import() of a computed name is in no bundle: write the name itself",
  "unsupported-require-call": "require() of a computed name is in no bundle: write the name itself",
};

function faultOf({ id, text, location }: Message): BundleFault {
  const file = pathOf(location?.file ?? "") ?? "";
  const name = packageOf(file)?.name;
  const message = unsupported[id] ?? text;
  const names = new RegExp(`package ${RegExp.escape(name ?? "")}(?![\\w.~/-])`);
  const isNamed = name === undefined || names.test(message);
  return {
    file,
    line: location?.line ?? 0,
    column: location === null ? 0 : columnOf(location),
    message: isNamed ? message : `${message} (in the package ${name})`,
    sourceLine: location?.lineText ?? "",
  };
}

const failed = (file: string, message: string): { faults: BundleFault[] } => ({
  faults: [{ file, line: 0, column: 0, message, sourceLine: "" }],
});

const options = {
  bundle: true,
  write: false,
  outfile: "bundle.js",
  format: "esm",
  platform: "neutral",
  target: "es2023",
  charset: "utf8",
  legalComments: "none",
  tsconfigRaw: {},
  logLevel: "silent",
  logLimit: MAX_FAULTS,
  // Packages for browsers expect that a bundler writes these.
  define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
  logOverride: Object.fromEntries(Object.keys(unsupported).map((id) => [id, "error"] as const)),
} as const satisfies BuildOptions;

async function bundle({ files, entry, maxBundleBytes }: BundleQuestion): Promise<BundleAnswer> {
  const plugin = filesPlugin({
    has: (path) => Object.hasOwn(files, path),
    text: (path) => files[path] ?? "",
    locate: ({ folder }) => folder,
  });
  const built = await build({
    ...options,
    entryPoints: [entry],
    plugins: [plugin],
    sourcemap: "external",
    sourcesContent: false,
    metafile: true,
  });
  const bytes = built.outputFiles.reduce((sum, { contents }) => sum + contents.length, 0);
  if (bytes > maxBundleBytes) {
    return failed(entry, `The bundle must be at most ${maxBundleBytes} bytes`);
  }
  const { exports = [] } = built.metafile.outputs["bundle.js"] ?? {};
  if (!exports.includes("default")) {
    const message =
      "The entry module has no default export: write `export default async function (input, context) { … }`";
    return failed(entry, message);
  }
  const named = (ending: string) =>
    built.outputFiles.find(({ path }) => path.endsWith(ending))?.text ?? "";
  const map = JSON.parse(named(".map")) as { sources: string[] };
  const sources = map.sources.map((source) => pathOf(source) ?? source);
  return { bundle: { code: named("bundle.js"), map: JSON.stringify({ ...map, sources }) } };
}

/** The files of the packages that a program imports, which are installed in a folder. */
async function collect(
  { files, entry }: BundleQuestion,
  installed: NonNullable<BundleQuestion["installed"]>,
): Promise<CollectAnswer> {
  const found = openInstalled(files, installed);
  await build({ ...options, entryPoints: [entry], plugins: [filesPlugin(found)] });
  try {
    return { packages: collectPackages(found, files, installed) };
  } catch (error) {
    if (error instanceof ImportFault) return failed("", error.message);
    throw error;
  }
}

/** Bundles a program, or collects the files of its packages. */
export async function answerQuestion(
  question: BundleQuestion,
): Promise<BundleAnswer | CollectAnswer> {
  try {
    const { installed } = question;
    return installed === undefined ? await bundle(question) : await collect(question, installed);
  } catch (error) {
    const { errors } = error as Partial<BuildFailure>;
    if (errors === undefined) throw error;
    return { faults: errors.slice(0, MAX_FAULTS).map(faultOf) };
  }
}
