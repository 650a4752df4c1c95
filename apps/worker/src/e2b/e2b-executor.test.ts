import { E2bProgram } from "@parley/schema";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { SandboxExecutor } from "../executor/executor.ts";
import { describeSandboxExecutor } from "../executor/executor.conformance.ts";
import { runE2b } from "./testing/run-e2b.ts";
import { createE2bExecutor } from "./e2b-executor.ts";
import { FAKE_KEY, startFakeE2b } from "./testing/fake-e2b.ts";

let fake: Awaited<ReturnType<typeof startFakeE2b>>;
beforeAll(async () => {
  fake = await startFakeE2b();
});
afterAll(() => fake.close());

const executor = (): SandboxExecutor => {
  const { execute, close } = createE2bExecutor({
    connection: { apiKey: FAKE_KEY, apiUrl: fake.url, domain: "test", sandboxUrl: fake.url },
    template: "base",
    logBytes: 1_000_000,
    onLeft: (_id, error) => expect.unreachable(String(error)),
  });
  return {
    // The suite has programs of this type only.
    execute: (execution) => execute(execution as Parameters<typeof execute>[0]),
    close: async () => {
      await close();
      expect(fake.sandboxes.size).toBe(0);
    },
  };
};

const javascript = (code: string) =>
  E2bProgram.parse({
    type: "e2b",
    language: "javascript",
    source: `export default async (input, context) => { ${code} };`,
  });
const python = (source: string) => E2bProgram.parse({ type: "e2b", language: "python", source });

describeSandboxExecutor("E2B with JavaScript", executor, {
  echo: javascript("return input;"),
  illFormed: javascript('return { text: "a\\u0000\\ud800" };'),
  count: (count) =>
    javascript(`for (let number = 1; number <= ${count}; number++) {
        console.log(number);
        context.progress(number / ${count}, String(number));
      }
      return null;`),
  print: (characters) => javascript(`console.log("x".repeat(${characters}));`),
  throwing: javascript('throw new Error("no");'),
  waiting: javascript(`console.log("begun");
      await new Promise((resolve) => setTimeout(resolve, 60_000));`),
  spinning: javascript("for (;;);"),
  allocating: javascript("const all = []; for (;;) all.push(new Array(1000).fill(1));"),
  output: (characters) => javascript(`return "x".repeat(${characters});`),
  beginsWithinMs: 3000,
  nested: (depth) => javascript(`return ${"[".repeat(depth)}${"]".repeat(depth)};`),
});

describe("a function of E2B", () => {
  const run = (program: E2bProgram, more: object = {}) => runE2b(executor(), program, more);

  it("may be written in Python", async () => {
    const source = `import sys
def main(input, context):
    print("an ä", input["a"])
    print("aside", file=sys.stderr)
    context.progress(0.5, "half")
    return {"sum": input["a"] + input["b"], "attempt": context.invocation["attempt"]}
`;
    const events = await run(python(source), { input: '{"a":40,"b":2}', attempt: 3 });
    expect(events).toContainEqual({ type: "log", stream: "stdout", text: "an ä 40" });
    expect(events).toContainEqual({ type: "log", stream: "stderr", text: "aside" });
    expect(events).toContainEqual({ type: "progress", done: 0.5, total: 1, label: "half" });
    expect(events.at(-1)).toEqual({ type: "succeeded", result: { sum: 42, attempt: 3 } });
  });

  it.each([
    ["throws", "def main(input):\n    raise ValueError('no')", "threw"],
    ["is no Python", "def main(", "import_failed"],
    ["has no main", "x = 1", "import_failed"],
    ["returns what is no JSON", "def main(input):\n    return float('nan')", "bad_return"],
    ["exits", "import os\ndef main(input):\n    os._exit(3)", "threw"],
    ["exits without a failure", "import os\ndef main(input):\n    os._exit(0)", "bad_return"],
  ])("fails with a code if its Python %s", async (_name, source, code) => {
    expect((await run(python(source))).at(-1)).toMatchObject({ type: "errored", error: { code } });
  });

  it.each([
    ["exports nothing", "export const a = 1;", "import_failed"],
    ["is no JavaScript", "export default (", "import_failed"],
    ["returns a function", "export default () => () => 1;", "bad_return"],
    ["waits for nothing", "export default () => new Promise(() => {});", "bad_return"],
    ["exits", "export default () => process.exit(2);", "threw"],
    ["aborts", "export default () => process.abort();", "out_of_memory"],
    [
      "leaves another result",
      `import { writeFileSync } from "node:fs";
       export default () => { writeFileSync("parley-result.json", "[1]"); process.exit(); };`,
      "bad_return",
    ],
  ])("fails with a code if its JavaScript %s", async (_name, source, code) => {
    const program = E2bProgram.parse({ type: "e2b", language: "javascript", source });
    expect((await run(program)).at(-1)).toMatchObject({ type: "errored", error: { code } });
  });

  it("asks for a sandbox without a network, which is its own and is deleted", async () => {
    fake.reset();
    await run({ ...javascript("return 1;"), template: "packages" });
    const [creation, ...others] = fake.requests;
    expect(JSON.parse(String(creation?.body))).toEqual({
      templateID: "packages",
      timeout: 130,
      secure: true,
      autoPause: false,
      allow_internet_access: false,
      network: { denyOut: ["0.0.0.0/0"], allowPublicTraffic: false },
      metadata: { parleyFunction: "sfn_a", parleyInvocation: "sfi_a" },
    });
    expect(others.map(({ method, path }) => `${method} ${path.replace(/\d+$/, "")}`)).toEqual([
      "POST /files?username=user",
      "POST /process.Process/Start",
      "GET /files?username=user&path=parley-result.json",
      "DELETE /sandboxes/sandbox",
    ]);
    for (const { headers, path } of others.filter((one) => !one.path.startsWith("/sandboxes"))) {
      expect(headers["x-api-key"], path).toBeUndefined();
    }
  });
});
