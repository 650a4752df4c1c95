import { readFile } from "node:fs/promises";
import { checkBehaviour, createThreads } from "@parley/core";
import { SimulatedBehaviour } from "@parley/schema";
import { afterAll, expect, test } from "vitest";
import { limitExecution } from "../executor/limit-execution.ts";
import { createSimulatedExecutor } from "./simulated-executor.ts";

const page = await readFile(
  new URL("../../../../docs/guide/simulated-functions.md", import.meta.url),
  "utf8",
);
const example = /```json\n([^`]+)```\n\nWith the input `([^`]+)` it gives:\n\n```text\n([^`]+)```/g;
const examples = [...page.matchAll(example)].map(([, behaviour = "", input = "", events = ""]) => {
  const parsed = SimulatedBehaviour.parse(JSON.parse(behaviour));
  return { parsed, input, events: events.trimEnd().split("\n") };
});
const threads = createThreads();
const executor = createSimulatedExecutor(threads, 0);
afterAll(() => threads.close());

test.for(examples.map((one, index) => ({ ...one, index })))(
  "the page's example $index gives the output below it",
  async ({ parsed, input, events, index }) => {
    const options = { workspaceId: 1, origin: "request" } as const;
    expect(await checkBehaviour(threads, parsed, options)).toEqual([]);
    const run = limitExecution(executor, {
      workspaceId: 1,
      functionId: `example ${index}`,
      version: 1,
      program: { type: "simulated", behaviour: parsed },
      input,
      timezone: "UTC",
      seed: "seed",
      attempt: 1,
      limits: { timeoutMs: 60_000, maxOutputBytes: 262_144, maxLogLines: 1000 },
      signal: new AbortController().signal,
    });
    const lines = (await Array.fromAsync(run)).map((event) => JSON.stringify(event));
    expect(lines).toEqual(events);
  },
);

test("every behaviour of the page is an example that is run", () => {
  expect(examples).toHaveLength(page.match(/^```json$/gm)?.length ?? 0);
  expect(examples.length).toBeGreaterThan(3);
});
