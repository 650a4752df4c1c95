import { expect, test } from "vitest";
import { importsOf, type Source, sources } from "./packages.ts";
import { starters } from "./processes.ts";

const starting =
  /^(?:node:)?(?:child_process|worker_threads|cluster)$|^(?:piscina|tinypool|execa)(?:\/|$)/;
/** Tests and benchmarks start what they like. */
const isProduct = ({ file }: Source): boolean =>
  !/^apps\/(?:e2e|bench)\/|\.(?:test|conformance)\.tsx?$|\/(?:testing|hostile)(?:\/|\.ts$)/.test(
    file,
  );

const product = sources.filter(isProduct);
const importers = product.filter((source) =>
  importsOf(source).some(({ from, isType }) => !isType && starting.test(from)),
);

test("every file that starts processes or threads says why, and what bounds them", () => {
  expect(product.length).toBeGreaterThan(500);
  expect(importers.map(({ file }) => file).toSorted()).toEqual(
    starters.map(({ file }) => file).toSorted(),
  );
});

test("every bound is in the source that it is said of", () => {
  const unbounded = starters.filter(
    ({ file, source }) => product.find((one) => one.file === file)?.text.includes(source) !== true,
  );
  expect(unbounded).toEqual([]);
});

test("nothing starts processes by other names", () => {
  const hidden =
    /\brequire\(["'](?:node:)?(?:child_process|worker_threads|cluster)|getBuiltinModule|process\.binding/;
  expect(product.filter(({ text }) => hidden.test(text)).map(({ file }) => file)).toEqual([]);
});
