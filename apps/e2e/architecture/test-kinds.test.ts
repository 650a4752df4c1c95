import { globSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { type Kind, type KindName, kinds, longest, matches } from "../../../.ci/kinds.ts";
import { parts } from "../../../.ci/nightly-parts.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const files = globSync("{packages,apps}/**/*.test.{ts,tsx}", {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**"],
});

const runs = (name: KindName, file: string): boolean => {
  const { only, leavesOut }: Kind = kinds[name];
  return (only === undefined || matches(file, only)) && !matches(file, leavesOut);
};

test("a nightly run has each file of tests once", () => {
  const names = parts.flatMap((part) => ("kind" in part ? [part.kind] : []));
  expect(files.length).toBeGreaterThan(400);
  expect(files.filter((file) => names.filter((name) => runs(name, file)).length !== 1)).toEqual([]);
});

test("a push runs all that is run before it", () => {
  expect(files.filter((file) => runs("test", file) && !runs("full", file))).toEqual([]);
});

test("a run begins with files that exist", () => {
  expect(longest.filter((file) => !files.includes(file))).toEqual([]);
});
