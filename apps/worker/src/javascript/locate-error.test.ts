import { createThreads } from "@parley/core";
import { bundleProgram } from "@parley/sandbox";
import { expect, it, onTestFinished } from "vitest";
import { locateError } from "./locate-error.ts";
import { locate } from "./locate-thread.ts";

const signal = new AbortController().signal;

function openThreads() {
  const threads = createThreads(2);
  onTestFinished(() => threads.close());
  return threads;
}

async function bundle(source: string): Promise<{ code: string; map: string }> {
  const answer = await bundleProgram({ "index.ts": source });
  if (!("bundle" in answer)) throw new Error(JSON.stringify(answer));
  return answer.bundle;
}

it("shows the calls of an error in the author's files", async () => {
  const { code, map } = await bundle("type A = 1;\n\nexport default () => {\n  throw 1;\n};\n");
  const line = code.split("\n").findIndex((text) => text.includes("throw")) + 1;
  const stack = `Error\n    at run (bundle.js:${line}:3)\n    at native\n    at bundle.js:${line}:3\n`;
  const error = { message: "Error: no", stack, map, workspaceId: 1, signal };
  expect(await locateError(openThreads(), error)).toBe(
    "Error: no\n    at run (index.ts:4:3)\n    at <anonymous> (index.ts:4:3)",
  );
  expect(await locateError(openThreads(), { ...error, map: "{" })).toContain(
    `at run (bundle.js:${line}:3)`,
  );
  expect(await locateError(openThreads(), { ...error, stack: "no calls" })).toBe("Error: no");
});

it("reads a large source map elsewhere than on the event loop", async () => {
  const { map } = await bundle("export default () => { throw 1; };");
  const parsed = JSON.parse(map) as { mappings: string };
  const large = JSON.stringify({ ...parsed, mappings: "AAAA;".repeat(250_000) });
  const places = [{ line: 1, column: 1 }];
  const threads = openThreads();
  const task = { message: "Error", map: large, workspaceId: 1, signal };
  await locateError(threads, { ...task, map, stack: "at bundle.js:1:1" });
  const here = await leastTimeOf(async () => locate({ map: large, places }));
  const there = await leastTimeOf(() =>
    locateError(threads, { ...task, stack: "at bundle.js:1:1" }),
  );
  expect(there).toBeLessThan(here / 3);
});

/** Microseconds of the processor that the main thread takes: the least of three, as garbage is collected in any of them. */
async function leastTimeOf(work: () => Promise<unknown>): Promise<number> {
  let least = Infinity;
  for (let time = 0; time < 3; time++) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, user + system);
  }
  return least;
}
