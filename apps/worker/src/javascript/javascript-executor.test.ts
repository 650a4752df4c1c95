import { createSandbox, type Sandbox } from "@parley/sandbox";
import { JavaScriptProgram, type StoredJavaScript } from "@parley/schema";
import { afterAll, expect, it } from "vitest";
import type { Execution, SandboxExecutor } from "../executor/executor.ts";
import { describeSandboxExecutor } from "../executor/executor.conformance.ts";
import { limitExecution } from "../executor/limit-execution.ts";
import { createJavaScriptExecutor } from "./javascript-executor.ts";

const program = (code: string, more: object = {}): StoredJavaScript => ({
  ...JavaScriptProgram.parse({ type: "javascript", source: code, ...more }),
  bundle: { code, map: "{}" },
});
const body = (code: string) => program(`export default async (input, context) => { ${code} }`);

// Starting processes for each test would be most of its time: they are closed once.
let opened: Promise<Sandbox> | undefined;
const open = () =>
  (opened ??= createSandbox({ maxProcesses: 4, maxWaitingBytes: 2 ** 30, privateHosts: [] }));
afterAll(async () => (await opened)?.close());

const maxima = {
  inputBytes: 100_000,
  maxLogLines: 10_000,
  timeoutMs: 10_000,
  maxOutputBytes: 100_000,
  cpuMs: 5000,
  memoryBytes: 67_108_864,
  logBytes: 1_048_576,
  fetches: 10,
  fetchBytes: 1_048_576,
};
const secrets: Record<string, string> = { TOKEN: "a-secret-of-one", OTHER: "a-secret-of-none" };
const executor = (): SandboxExecutor => ({
  execute: createJavaScriptExecutor({
    open,
    maxima,
    readSecrets: async (_workspaceId, names) =>
      Object.fromEntries(names.flatMap((name) => [[name, secrets[name] ?? ""]])),
  }).execute,
  close: async () => {},
});

describeSandboxExecutor("the one of JavaScript", executor, {
  echo: body("return input;"),
  illFormed: body('return { text: "a\\u0000\\ud800" };'),
  count: (count) =>
    body(`for (let number = 1; number <= ${count}; number++) {
        context.log("info", String(number));
        context.progress(number / ${count}, String(number));
      }`),
  print: (characters) => body(`context.log("info", "x".repeat(${characters}));`),
  throwing: body('throw new Error("no");'),
  waiting: body(`context.log("info", "begun");
      await new Promise((resolve) => setTimeout(resolve, 60_000));`),
  spinning: body("for (;;);"),
  allocating: body("const all = []; for (;;) all.push(new Array(1000).fill(1));"),
  output: (characters) => body(`return "x".repeat(${characters});`),
  nested: (depth) => body(`return ${"[".repeat(depth)}${"]".repeat(depth)};`),
});

const limits = { timeoutMs: 10_000, maxOutputBytes: 10_000, maxLogLines: 100 };
const executionOf = (
  given: StoredJavaScript,
  more: Partial<Execution<StoredJavaScript>> = {},
): Execution<StoredJavaScript> => ({
  workspaceId: 1,
  functionId: "sfn_one",
  version: 3,
  program: given,
  input: "null",
  timezone: "Europe/London",
  seed: "sfi_one",
  attempt: 2,
  limits,
  signal: new AbortController().signal,
  ...more,
});
const run = (given: StoredJavaScript, more: Partial<Execution<StoredJavaScript>> = {}) =>
  Array.fromAsync(limitExecution(executor(), executionOf(given, more)));

it("gives code its ids and its readable secrets, and hides them in whatever it says", async () => {
  const code = `export default (input, { invocation, log, secrets }) => {
    log("info", "it is " + secrets.get("TOKEN"));
    return { invocation, secret: secrets.get("TOKEN"), length: secrets.get("TOKEN").length };
  }`;
  expect(await run(program(code, { secrets: [{ name: "TOKEN", readable: true }] }))).toEqual([
    { type: "log", stream: "stdout", text: "it is [hidden]" },
    {
      type: "succeeded",
      result: {
        invocation: {
          id: "sfi_one",
          functionId: "sfn_one",
          version: 3,
          attempt: 2,
          timezone: "Europe/London",
        },
        secret: "[hidden]",
        length: 15,
      },
    },
  ]);
});

it.each([
  ["another function lists", [{ name: "TOKEN", readable: true }]],
  ["may only be in headers", [{ name: "OTHER" }]],
])("refuses a secret that %s", async (_name, listed) => {
  const code = 'export default (input, { secrets }) => secrets.get("OTHER");';
  expect(await run(program(code, { secrets: listed }))).toMatchObject([
    { type: "errored", error: { code: "secret_refused" } },
  ]);
});

/** Runs a program if the operator allows less. */
async function runBelow(less: Partial<typeof maxima>, given: StoredJavaScript, input = "null") {
  const readSecrets = async () => ({});
  const { execute } = createJavaScriptExecutor({
    open,
    maxima: { ...maxima, ...less },
    readSecrets,
  });
  const execution = { ...executionOf(given), input };
  return Array.fromAsync(limitExecution({ execute, close: async () => {} }, execution));
}

it("keeps programs below what the operator allows", async () => {
  const busy = program("export default () => { for (;;); }", { cpuMs: 600_000 });
  expect(await runBelow({ cpuMs: 100 }, busy)).toMatchObject([{ error: { code: "cpu_exceeded" } }]);
});

it("keeps invocations below what the operator allows", async () => {
  const waiting = program("export default () => new Promise((end) => setTimeout(end, 60_000));");
  const timedOut = await runBelow({ timeoutMs: 200 }, waiting);
  expect(timedOut).toMatchObject([{ error: { code: "timed_out" } }]);
  const large = program('export default () => "x".repeat(2000);');
  const tooLarge = await runBelow({ maxOutputBytes: 1024 }, large);
  expect(tooLarge).toMatchObject([{ error: { code: "output_too_large" } }]);
  const tooLong = await runBelow({ inputBytes: 1024 }, large, JSON.stringify("x".repeat(2000)));
  expect(tooLong).toMatchObject([{ error: { code: "input_too_large" } }]);
  const chatty = program(`export default (_, { log }) => {
    for (let line = 0; line < 5; line++) log("info", String(line));
  };`);
  expect(await runBelow({ maxLogLines: 2 }, chatty)).toMatchObject([
    { text: "0" },
    { text: "1" },
    { text: "left out: 3 more lines (limit: 2)" },
    { type: "succeeded" },
  ]);
});
