import { existsSync, globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { root } from "../server.ts";
import { sources } from "./packages.ts";

test("no source file is longer than 300 lines", () => {
  const long = sources
    .map(({ file, text }) => ({ file, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > 300);
  expect(long).toEqual([]);
});

test("the environment is read in config.ts only", () => {
  const readers = sources
    .filter(({ text }) => /\bprocess\.env\b/.test(text))
    .map(({ file }) => file)
    .filter((file) => path.basename(file) !== "config.ts");
  // What commands are given, how tests reach registries and find npm, whether an application with the client is in development,
  // where tests find their PostgreSQL and their build of the server and whether they may take long, what threads find of it,
  // and what a bundler puts in its place.
  expect(readers.toSorted()).toEqual([
    "apps/cli/src/main.ts",
    "apps/e2e/build-server.ts",
    "apps/e2e/built/run-build.ts",
    "apps/e2e/cli/update.test.ts",
    "apps/e2e/packaging/rootfs.ts",
    "apps/e2e/seed-properties.ts",
    "packages/client/src/call-endpoint.ts",
    "packages/core/testing/misbehaving-thread.ts",
    "packages/db/testing/index.ts",
    "packages/db/testing/server.ts",
    "packages/sandbox/src/bundle/answer-question.ts",
  ]);
});

test("the lockfile names no registry", () => {
  const lockfile = readFileSync(path.join(root, "pnpm-lock.yaml"), "utf8");
  expect(lockfile.match(/https?:\/\/[^\s'"}]+|\btarball:.*/g)).toBeNull();
});

test("every path that docs/architecture.md names exists", () => {
  const text = readFileSync(path.join(root, "docs/architecture.md"), "utf8");
  const named = [
    ...text.matchAll(/\b(?:packages|apps|docs|deploy|\.ci)\/[\w./-]*\w/g),
    ...text.matchAll(/(?<=`)[\w-]+\.(?:ya?ml|json|ts)(?=`)|(?<=`)Dockerfile(?=`)/g),
  ].map(([file]) => file);
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter((file) => !existsSync(path.join(root, file)))).toEqual([]);
});

test("every source that a page names exists", () => {
  const pages = globSync("{*.md,docs/**/*.md}", { cwd: root });
  const named = pages.flatMap((page) =>
    [
      ...readFileSync(path.join(root, page), "utf8").matchAll(
        /`((?:packages|apps|\.ci)\/[\w./-]+)`/g,
      ),
    ].map(([, file = ""]) => ({ page, file })),
  );
  expect(named.length).toBeGreaterThan(60);
  expect(named.filter(({ file }) => !existsSync(path.join(root, file)))).toEqual([]);
});
