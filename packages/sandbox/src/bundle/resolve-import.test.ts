import { describe, expect, it } from "vitest";
import { createResolver, type FoundImport } from "./resolve-import.ts";

const json = (value: unknown): string => JSON.stringify(value);

const packageOf = (name: string, manifest: object, files: readonly string[]) => ({
  [`node_modules/${name}/package.json`]: json({ name, ...manifest }),
  ...Object.fromEntries(files.map((file) => [`node_modules/${name}/${file}`, ""])),
});

const exported = {
  ".": { browser: "./browser.js", default: "./node.js" },
  "./add": { import: "./add.mjs", require: "./add.cjs" },
  "./all/*": "./all/*.js",
  "./all/secret": null,
  "./up": "../../index.ts",
  "./across": "./node_modules/inner/index.js",
  "./gone": "./gone.js",
  "./bare": "plain",
};

const files: Readonly<Record<string, string>> = {
  "index.ts": "",
  "lib/b.ts": "",
  "secrets.json": "",
  ...packageOf("tabled", { exports: exported, imports: { "#in": "./add.mjs", "#out": "plain" } }, [
    "browser.js",
    "node.js",
    "add.mjs",
    "add.cjs",
    "all/one.js",
    "all/secret.js",
  ]),
  ...packageOf("tabled/node_modules/inner", { main: "index.js" }, ["index.js"]),
  ...packageOf("plain", { main: "lib/main", module: "lib/module.js" }, [
    "lib/main.js",
    "lib/module.js",
    "lib/other.ts",
    "lib/sub/index.js",
    "data.json",
  ]),
  ...packageOf("indexed", {}, ["index.js"]),
  ...packageOf("@scope/pure", { sideEffects: false }, ["index.js"]),
  ...packageOf("swapped", { browser: { "./a.js": "./b.js", fs: false, plain: "./b.js" } }, [
    "index.js",
    "a.js",
    "b.js",
  ]),
  ...packageOf("up", { main: "../../secrets.json" }, []),
  ...packageOf("absolute", { main: "/secrets.json" }, []),
  ...packageOf("native", { main: "./build/a.node" }, ["build/a.node"]),
  ...packageOf("swapped-out", { browser: { "./index.js": "../../index.ts" } }, ["index.js"]),
  ...packageOf("strange", { exports: { ".": [1, {}], __proto__: "./x" }, main: 7 }, ["index.js"]),
  ...packageOf("events", {}, ["index.js"]),
  "node_modules/broken/package.json": "{",
  "node_modules/listed/package.json": "[]",
};

const resolve = (wanted: string, importer = "index.ts", isRequire = false): FoundImport =>
  createResolver({
    has: (path) => Object.hasOwn(files, path),
    text: (path) => files[path] ?? "",
    locate: ({ folder }) => folder,
  })({ wanted, importer, isRequire });

describe("the imports of a program", () => {
  it.each([
    ["./lib/b.js", "index.ts", "lib/b.ts"],
    ["../index.ts", "lib/b.ts", "index.ts"],
    ["tabled", "lib/b.ts", "node_modules/tabled/browser.js"],
    ["tabled/add", "index.ts", "node_modules/tabled/add.mjs"],
    ["tabled/all/one", "index.ts", "node_modules/tabled/all/one.js"],
    ["plain", "index.ts", "node_modules/plain/lib/module.js"],
    ["plain/lib/sub", "index.ts", "node_modules/plain/lib/sub/index.js"],
    ["plain/data.json", "index.ts", "node_modules/plain/data.json"],
    ["indexed", "index.ts", "node_modules/indexed/index.js"],
    ["events", "index.ts", "node_modules/events/index.js"],
    ["events/", "index.ts", "node_modules/events/index.js"],
    ["inner", "node_modules/tabled/all/one.js", "node_modules/tabled/node_modules/inner/index.js"],
    ["plain", "node_modules/tabled/node.js", "node_modules/plain/lib/module.js"],
    ["tabled/add", "node_modules/tabled/node.js", "node_modules/tabled/add.mjs"],
    ["#in", "node_modules/tabled/node.js", "node_modules/tabled/add.mjs"],
    ["#out", "node_modules/tabled/node.js", "node_modules/plain/lib/module.js"],
    ["..", "node_modules/plain/lib/main.js", "node_modules/plain/lib/module.js"],
    [".", "node_modules/plain/lib/sub/other.js", "node_modules/plain/lib/sub/index.js"],
    ["./a", "node_modules/swapped/index.js", "node_modules/swapped/b.js"],
    ["plain", "node_modules/swapped/index.js", "node_modules/swapped/b.js"],
  ])("find %s in %s", (wanted, importer, path) => {
    expect(resolve(wanted, importer).path).toBe(path);
  });

  it("find what a package has for require", () => {
    expect(resolve("plain", "index.ts", true).path).toBe("node_modules/plain/lib/main.js");
    expect(resolve("tabled/add", "index.ts", true).path).toBe("node_modules/tabled/add.cjs");
  });

  it("are of nothing where a package has nothing for browsers, and may be left out if it says so", () => {
    expect(resolve("fs", "node_modules/swapped/index.js").path).toBe(undefined);
    expect(resolve("@scope/pure")).toEqual({
      path: "node_modules/@scope/pure/index.js",
      isPure: true,
    });
    expect(resolve("indexed").isPure).toBe(false);
  });

  const inPlain = "node_modules/plain/lib/main.js";
  const ofNode = "is not a file of the program: modules of Node are not available";
  it.each([
    ["./gone.ts", "index.ts", 'The program has no file "./gone.ts"'],
    ["./node_modules/plain/data.json", "index.ts", "The program has no file"],
    ["../../etc/passwd", "index.ts", 'The program has no file "../../etc/passwd"'],
    ["fs", "index.ts", `"fs" ${ofNode}`],
    ["fs/promises", "index.ts", `"fs/promises" ${ofNode}`],
    ["node:events", "index.ts", `"node:events" ${ofNode}`],
    ["node:fs", inPlain, `"node:fs" ${ofNode}`],
    ["os", inPlain, `"os" ${ofNode}`],
    [
      "left-pad",
      "index.ts",
      '"left-pad" is not a file of the program: the package left-pad is not installed',
    ],
    ["@a/b/c", inPlain, '"@a/b/c" is not a file of the program: the package @a/b is not installed'],
    ["/etc/passwd", "index.ts", "imports name relative paths and packages"],
    ["file:///etc/passwd", inPlain, "imports name relative paths and packages"],
    ["C:\\a.js", inPlain, "imports name relative paths and packages"],
    ["__proto__", "index.ts", "the package __proto__ is not installed"],
    ["constructor", inPlain, "the package constructor is not installed"],
    ["..%2f", inPlain, "imports name relative paths and packages"],
    ["#in", "index.ts", "imports name relative paths and packages"],
    ["#gone", "node_modules/tabled/node.js", 'does not define "#gone" in its imports'],
    ["./gone.js", inPlain, 'The package plain has no file "./gone.js"'],
    ["../../../secrets.json", inPlain, '"../../../secrets.json" leads out of the package plain'],
    ["../../indexed/index.js", inPlain, "leads out of the package plain"],
    ["./node_modules/inner/index.js", "node_modules/tabled/node.js", "leads out of the package"],
    ["tabled/secret", "index.ts", 'The package tabled does not export "./secret"'],
    ["tabled/all/secret", "index.ts", 'The package tabled does not export "./all/secret"'],
    ["tabled/gone", "index.ts", 'The package tabled has no file "./gone.js"'],
    [
      "tabled/up",
      "index.ts",
      'node_modules/tabled/package.json of the package tabled leads out of it: "../../index.ts"',
    ],
    ["tabled/across", "index.ts", 'leads out of it: "./node_modules/inner/index.js"'],
    ["tabled/bare", "index.ts", 'leads out of it: "plain"'],
    ["plain/../../secrets.json", "index.ts", "The package plain has no file"],
    ["plain/lib/../../indexed/index.js", "index.ts", "The package plain has no file"],
    [
      "up",
      "index.ts",
      'node_modules/up/package.json of the package up leads out of it: "../../secrets.json"',
    ],
    ["absolute", "index.ts", 'The package absolute has no file "/secrets.json"'],
    ["swapped-out", "index.ts", 'leads out of it: "../../index.ts"'],
    ["strange", "index.ts", 'The package strange does not export "."'],
    [
      "broken",
      "index.ts",
      "node_modules/broken/package.json of the package broken is not valid JSON",
    ],
    ["listed", "index.ts", "of the package listed is not a JSON object"],
    [
      "native",
      "index.ts",
      '"native" is native code of the package native, which functions cannot run',
    ],
    [
      "./build/b.node",
      "node_modules/native/a.js",
      '"./build/b.node" is native code of the package native, which functions cannot run',
    ],
    ["./a.NODE", "index.ts", '"./a.NODE" is native code, which functions cannot run'],
  ])("refuse %s in %s", (wanted, importer, message) => {
    expect(() => resolve(wanted, importer)).toThrow(message);
  });
});
