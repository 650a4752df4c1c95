import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { stop } from "esbuild";
import { afterAll, expect, it, onTestFinished } from "vitest";
import { answerQuestion } from "./answer-question.ts";
import { bundleProgram, collectPackages } from "./bundle-program.ts";

type Files = Readonly<Record<string, string | Uint8Array>>;

/** A folder with these files and links, which goes with the test. */
async function openFolder(files: Files, links: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(path.join(os.tmpdir(), "parley-packages-"));
  onTestFinished(async () => rm(folder, { recursive: true }));
  const at = async (file: string): Promise<string> => {
    const place = path.join(folder, file);
    await mkdir(path.dirname(place), { recursive: true });
    return place;
  };
  for (const [file, content] of Object.entries(files)) await writeFile(await at(file), content);
  for (const [file, target] of Object.entries(links)) await symlink(target, await at(file));
  return folder;
}

const manifest = (more: object = {}): string => JSON.stringify({ version: "1.0.0", ...more });

/** As the process does that `collectPackages` starts. */
const collect = async (files: Record<string, string>, folder: string) => {
  const installed = { folder, maxFiles: 200, maxBytes: 1_048_576 };
  return answerQuestion({ files, entry: "index.ts", maxBundleBytes: 1_048_576, installed });
};
afterAll(stop);

const run = async (own: Record<string, string>, packages: Record<string, string>) => {
  const answer = await bundleProgram({ ...own, ...packages });
  if (!("bundle" in answer)) throw new Error(JSON.stringify(answer));
  const url = `data:text/javascript,${encodeURIComponent(answer.bundle.code)}`;
  const { default: entry } = (await import(url)) as { default: () => unknown };
  return entry();
};

const own = {
  "index.ts": `import add, { one } from "esm"; import cjs from "cjs/lib/main"; export default () => [add(one, 1), cjs.twice(4)];`,
};
const esm = {
  "package.json": manifest({ type: "module", exports: "./index.js", license: "MIT" }),
  "index.js": `import { plus } from "deep"; export const one = 1; export default (a, b) => plus(a, b);`,
  "unused.js": "export {}",
};
const cjs = {
  "package.json": manifest({ main: "lib/main" }),
  "lib/main.js": `const { plus } = require("deep"); exports.twice = (a) => plus(a, a);`,
};
const deep = (sign: string) => ({
  "package.json": manifest({ name: "deep" }),
  "index.js": `exports.plus = (a, b) => a ${sign} b;`,
});
const under = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]));

const asNpm = async () =>
  openFolder({
    ...under("node_modules/esm", esm),
    ...under("node_modules/esm/node_modules/deep", deep("+")),
    ...under("node_modules/cjs", cjs),
    ...under("node_modules/deep", deep("*")),
  });

const asPnpm = async () => {
  const store = "node_modules/.pnpm";
  return openFolder(
    {
      ...under(`${store}/esm@1.0.0/node_modules/esm`, esm),
      ...under(`${store}/cjs@1.0.0/node_modules/cjs`, cjs),
      ...under(`${store}/deep@1.0.0/node_modules/deep`, deep("+")),
      ...under(`${store}/deep@2.0.0/node_modules/deep`, deep("*")),
    },
    {
      "node_modules/esm": ".pnpm/esm@1.0.0/node_modules/esm",
      "node_modules/cjs": ".pnpm/cjs@1.0.0/node_modules/cjs",
      [`${store}/esm@1.0.0/node_modules/deep`]: "../../deep@1.0.0/node_modules/deep",
      [`${store}/cjs@1.0.0/node_modules/deep`]: "../../deep@2.0.0/node_modules/deep",
    },
  );
};

it("collects the files that the bundle needs, and two versions of a package", async () => {
  const answer = await collectPackages(own, await asNpm());
  if (!("packages" in answer)) throw new Error(JSON.stringify(answer));
  expect(Object.keys(answer.packages)).toEqual([
    "node_modules/cjs/lib/main.js",
    "node_modules/cjs/package.json",
    "node_modules/deep/index.js",
    "node_modules/deep/package.json",
    "node_modules/esm/index.js",
    "node_modules/esm/node_modules/deep/index.js",
    "node_modules/esm/node_modules/deep/package.json",
    "node_modules/esm/package.json",
  ]);
  expect(await run(own, answer.packages)).toEqual([2, 16]);
});

it("follows the links of pnpm, and gives a folder without links, which is collected as it is", async () => {
  const answer = await collect(own, await asPnpm());
  if (!("packages" in answer)) throw new Error(JSON.stringify(answer));
  expect(await run(own, answer.packages)).toEqual([2, 16]);
  expect(await collect(own, await openFolder(answer.packages))).toEqual(answer);
  expect(Object.keys(answer.packages).filter((file) => file.includes(".pnpm"))).toEqual([]);
});

it.each<[what: string, files: Files, links: Record<string, string>, message: string]>([
  [
    "a package that is a link out of the folder",
    {},
    { "node_modules/a": path.resolve(import.meta.dirname, "../..") },
    "node_modules/a of the package a is a link out of the folder's node_modules: install the package in the folder itself",
  ],
  [
    "a package that is a link to the folder itself",
    { "package.json": manifest() },
    { "node_modules/a": ".." },
    "node_modules/a of the package a is a link out of the folder's node_modules: install the package in the folder itself",
  ],
  [
    "a file of a package that is a link",
    { "node_modules/a/package.json": manifest(), ".env": "SECRET=1" },
    { "node_modules/a/index.js": "../../.env" },
    "node_modules/a/index.js of the package a is a link, which is not followed",
  ],
  [
    "a package.json that is a link",
    { "node_modules/a/index.js": "", "package.json": manifest() },
    { "node_modules/a/package.json": "../../package.json" },
    "node_modules/a/package.json of the package a is a link, which is not followed",
  ],
  [
    "a link in a circle",
    {},
    { "node_modules/a": "a" },
    '"a" is not a file of the program: the package a is not installed',
  ],
  [
    "a file that is too large",
    { "node_modules/a/package.json": manifest(), "node_modules/a/index.js": " ".repeat(1_048_577) },
    {},
    "node_modules/a/index.js of the package a has 1048577 bytes, and a function may have 1048576",
  ],
  [
    "files that are too large together",
    {
      "node_modules/a/package.json": manifest(),
      "node_modules/a/index.js": `import "./b.js";${" ".repeat(1_000_000)}`,
      "node_modules/a/b.js": " ".repeat(1_000_000),
    },
    {},
    "The function has 2000046 bytes with those of its packages, and may have 1048576: 2000035 are of node_modules/a",
  ],
  [
    "too many files",
    {
      "node_modules/a/package.json": manifest(),
      "node_modules/a/index.js": Array.from(
        { length: 200 },
        (_, at) => `import "./${at}.js";`,
      ).join(""),
      ...Object.fromEntries(
        Array.from({ length: 200 }, (_, at) => [`node_modules/a/${at}.js`, ""]),
      ),
    },
    {},
    "The function has 203 files with those of its packages, and may have 200: 202 are of node_modules/a",
  ],
  [
    "bytes that are no text",
    {
      "node_modules/a/package.json": manifest(),
      "node_modules/a/index.js": `import "./a.wasm"`,
      "node_modules/a/a.wasm": new Uint8Array([0, 0x61, 0xff, 0xfe]),
    },
    {},
    "node_modules/a/a.wasm of the package a is not UTF-8 text",
  ],
  [
    "a module of Node",
    { "node_modules/a/package.json": manifest(), "node_modules/a/index.js": `import "fs";` },
    {},
    '"fs" is not a file of the program: modules of Node are not available (in the package a)',
  ],
  [
    "a package that is not installed, whose name begins as its own",
    { "node_modules/a/package.json": manifest(), "node_modules/a/index.js": `import "ab";` },
    {},
    '"ab" is not a file of the program: the package ab is not installed (in the package a)',
  ],
  [
    "a file that is not JavaScript",
    { "node_modules/a/package.json": manifest(), "node_modules/a/index.js": "const a: = 1" },
    {},
    'Expected ";" but found ":" (in the package a)',
  ],
  [
    "a require of a computed name",
    { "node_modules/a/package.json": manifest(), "node_modules/a/index.js": "require(name)" },
    {},
    "require() of a computed name is in no bundle: write the name itself (in the package a)",
  ],
  [
    "an import of a computed name",
    { "node_modules/a/package.json": manifest(), "node_modules/a/index.js": "import(name)" },
    {},
    "import() of a computed name is in no bundle: write the name itself (in the package a)",
  ],
])("refuses %s", async (_what, files, links, message) => {
  const folder = await openFolder(files, links);
  const source = { "index.ts": `import "a";` };
  expect(await collect(source, folder)).toMatchObject({ faults: [{ message }] });
});

it("collects in the folder itself, whose files have the names of the program's", async () => {
  const installed = under("node_modules/cjs", cjs);
  const files = { "index.ts": `import "cjs/lib/main"; export default 1;` };
  const folder = await openFolder({
    ...files,
    ...installed,
    ...under("node_modules/deep", deep("+")),
  });
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder);
  const answer = await collectPackages(files, ".");
  expect(answer).toMatchObject({
    packages: { "node_modules/cjs/lib/main.js": expect.any(String) },
  });
});
