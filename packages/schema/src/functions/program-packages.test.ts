import { expect, it } from "vitest";
import { ownFilesOf, packagesOf } from "./program-packages.ts";

it("reads packages with their versions and licenses, each version once", () => {
  const files = {
    "index.ts": "",
    "package.json": '{ "version": "9.9.9" }',
    "node_modules/b/package.json": '{ "version": "1.0.0", "license": "MIT" }',
    "node_modules/b/lib/package.json": '{ "version": "8.0.0" }',
    "node_modules/b/index.js": "",
    "node_modules/@a/b/package.json": '{ "version": "2.0.0", "license": { "type": "ISC" } }',
    "node_modules/c/package.json": '{ "version": "3.0.0", "licenses": [{ "type": "Apache-2.0" }] }',
    "node_modules/c/node_modules/b/package.json": '{ "version": "1.0.0", "license": "MIT" }',
    "node_modules/d/node_modules/b/package.json": '{ "version": "2.0.0" }',
  };
  expect(packagesOf(files)).toEqual([
    { name: "@a/b", version: "2.0.0", license: "ISC" },
    { name: "b", version: "1.0.0", license: "MIT" },
    { name: "b", version: "2.0.0", license: "" },
    { name: "c", version: "3.0.0", license: "Apache-2.0" },
  ]);
  expect(Object.keys(ownFilesOf(files))).toEqual(["index.ts", "package.json"]);
});

it.each([
  ["{", "", ""],
  ["null", "", ""],
  ["[]", "", ""],
  ['{ "version": 1, "license": null }', "", ""],
  ['{ "version": {}, "license": [[]] }', "", ""],
  ['{ "__proto__": { "version": "1" }, "license": ["", "MIT"] }', "", "MIT"],
  [JSON.stringify({ version: "1".repeat(200) }), "1".repeat(100), ""],
])("takes nothing for granted in %s", (json, version, license) => {
  const files = { "node_modules/__proto__/package.json": json };
  expect(packagesOf(files)).toEqual([{ name: "__proto__", version, license }]);
});
