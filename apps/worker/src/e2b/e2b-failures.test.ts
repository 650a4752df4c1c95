import { E2bProgram } from "@parley/schema";
import { pino } from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WorkerSettings } from "../config.ts";
import type { SandboxExecutor } from "../executor/executor.ts";
import { createE2bExecutor } from "./e2b-executor.ts";
import { createLazyE2bExecutor } from "./lazy-e2b-executor.ts";
import { FAKE_KEY, type FakeRequest, startFakeE2b } from "./testing/fake-e2b.ts";
import { runE2b } from "./testing/run-e2b.ts";

let fake: Awaited<ReturnType<typeof startFakeE2b>>;
const left: string[] = [];
beforeAll(async () => {
  fake = await startFakeE2b();
});
afterEach(() => {
  fake.reset();
  left.length = 0;
});
afterAll(() => fake.close());

const START_MS = 400;
const executor = (url = fake.url): SandboxExecutor<E2bProgram> =>
  createE2bExecutor({
    connection: { apiKey: FAKE_KEY, apiUrl: url, domain: "test", sandboxUrl: fake.url },
    template: "base",
    logBytes: 10_000,
    startMs: START_MS,
    onLeft: (id) => left.push(id),
  });
const javascript = (source: string) =>
  E2bProgram.parse({ type: "e2b", language: "javascript", source });
const one = javascript("export default () => 1;");
const waiting = javascript(`export default async () => {
  console.log("begun");
  await new Promise((resolve) => setTimeout(resolve, 60_000));
};`);

const isCreation = ({ method, path }: FakeRequest) => method === "POST" && path === "/sandboxes";
const isUpload = ({ method, path }: FakeRequest) => method === "POST" && path.startsWith("/files");
const isStart = ({ path }: FakeRequest) => path.startsWith("/process.");
const isDownload = ({ method }: FakeRequest) => method === "GET";
const isDeletion = ({ method }: FakeRequest) => method === "DELETE";
const LEAK = { "content-type": "application/json", "x-request": FAKE_KEY };
const steps = { creation: isCreation, upload: isUpload, start: isStart, download: isDownload };

describe("a failure of E2B ends the execution with a stable code", () => {
  it.each([
    ["creation", 401, "invocation_failed"],
    ["creation", 403, "invocation_failed"],
    ["creation", 404, "import_failed"],
    ["creation", 429, "overloaded"],
    ["creation", 500, "invocation_failed"],
    ["creation", 503, "invocation_failed"],
    ["upload", 401, "invocation_failed"],
    ["upload", 429, "overloaded"],
    ["upload", 507, "invocation_failed"],
    ["start", 502, "invocation_failed"],
    ["start", 429, "overloaded"],
    ["download", 500, "invocation_failed"],
  ] as const)("if %s is answered %d", async (step, status, code) => {
    fake.make((request, response) => {
      if (!steps[step](request)) return false;
      response.writeHead(status, LEAK).end(JSON.stringify({ message: `bad key ${FAKE_KEY}` }));
      return true;
    });
    const events = await runE2b(executor(), one);
    expect(events).toMatchObject([{ type: "errored", error: { code, status } }]);
    expect(JSON.stringify(events)).not.toContain(FAKE_KEY);
    expect(fake.sandboxes.size).toBe(0);
  });

  it.each([
    ["creation", "overloaded"],
    ["upload", "overloaded"],
    ["start", "timed_out"],
    ["download", "timed_out"],
  ] as const)("if %s hangs", async (step, code) => {
    fake.make((request) => steps[step](request));
    const limits = { timeoutMs: 500, maxOutputBytes: 10_000, maxLogLines: 100 };
    const events = await runE2b(executor(), one, { limits });
    expect(events).toMatchObject([{ type: "errored", error: { code } }]);
    expect(fake.sandboxes.size).toBe(0);
  });

  it.each([
    ["no JSON", "<html>"],
    ["no sandbox", "{}"],
    ["a sandbox whose id is a path", '{"sandboxID":"../a"}'],
    ["a sandbox whose domain is a URL", '{"sandboxID":"a","domain":"evil.test/"}'],
    ["too much", `{"sandboxID":"${"a".repeat(100_000)}"}`],
  ])("if it answers %s", async (_name, body) => {
    fake.make((request, response) => {
      if (!isCreation(request)) return false;
      response.writeHead(201).end(body);
      return true;
    });
    const error = { code: "invocation_failed" };
    expect(await runE2b(executor(), one)).toMatchObject([{ type: "errored", error }]);
  });

  it("if it cannot be reached, or sends elsewhere", async () => {
    const error = { code: "invocation_failed", message: "E2B cannot be reached" };
    const failed = [{ type: "errored", error }];
    expect(await runE2b(executor("http://127.0.0.1:1"), one)).toEqual(failed);
    fake.make((request, response) => {
      if (!isCreation(request)) return false;
      response.writeHead(307, { location: `${fake.url}/elsewhere` }).end();
      return true;
    });
    expect(await runE2b(executor(), one)).toEqual(failed);
    expect(fake.requests.map(({ path }) => path)).toEqual(["/sandboxes"]);
  });

  it.each([
    ["a message of any size", Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1])],
    ["a message that is no JSON", Buffer.from([0, 0, 0, 0, 1, 0x7b])],
    ["a message of another form", Buffer.from('\0\0\0\0\x0b{"event":1}', "latin1")],
    ["the end of its stream at once", Buffer.from([2, 0, 0, 0, 2, 0x7b, 0x7d])],
    ["half of a message", Buffer.from([0, 0, 0, 1, 0, 0x7b])],
  ])("if a process says %s", async (_name, bytes) => {
    fake.make((request, response) => {
      if (!isStart(request)) return false;
      response.writeHead(200).end(bytes);
      return true;
    });
    const message = "The sandbox of E2B ended before the function did";
    const error = { code: "invocation_failed", message };
    expect(await runE2b(executor(), one)).toEqual([{ type: "errored", error }]);
  });

  it("if the sandbox dies", async () => {
    const events: string[] = [];
    const running = executor();
    for await (const event of running.execute(executionOf(waiting))) {
      if (event.type === "log") await fake.removeAll();
      events.push(event.type === "errored" ? event.error.code : event.type);
    }
    await running.close();
    expect(events).toEqual(["queued", "began", "log", "invocation_failed"]);
  });

  it("if it prints without end, or one line without end", async () => {
    for (const line of ["x\\n", "x"]) {
      const source = `export default () => { for (;;) process.stdout.write("${line}".repeat(1000)); };`;
      const events = await runE2b(executor(), javascript(source));
      expect(events.at(-1)).toMatchObject({ type: "errored", error: { code: "log_too_large" } });
      expect(fake.sandboxes.size).toBe(0);
    }
  });
});

describe("a sandbox is deleted", () => {
  it("if its invocation is cancelled, also before it is there", async () => {
    for (const step of [isCreation, isUpload, isStart]) {
      const abort = new AbortController();
      fake.make((request) => {
        if (step(request)) setTimeout(() => abort.abort(new Error("enough")), 10);
        return false;
      });
      const running = runE2b(executor(), waiting, { signal: abort.signal });
      await expect(running).rejects.toThrow("enough");
      expect(fake.sandboxes.size).toBe(0);
      expect(fake.requests.filter(isDeletion)).toHaveLength(1);
      fake.reset();
    }
  });

  it("at the third attempt, and is said to be left if none succeeds", async () => {
    let failures = 2;
    fake.make((request, response) => {
      if (!isDeletion(request) || failures-- <= 0) return false;
      response.writeHead(500).end();
      return true;
    });
    expect(await runE2b(executor(), one)).toEqual([{ type: "succeeded", result: 1 }]);
    expect({ left, existing: fake.sandboxes.size }).toEqual({ left: [], existing: 0 });
    failures = 3;
    expect(await runE2b(executor(), one)).toEqual([{ type: "succeeded", result: 1 }]);
    expect(left).toEqual([...fake.sandboxes.keys()]);
    await fake.removeAll();
  });
});

describe("the settings", () => {
  const lazy = (settings: object, lines: string[] = []) =>
    createLazyE2bExecutor(
      WorkerSettings.parse(settings),
      pino({}, { write: (line: string) => void lines.push(line) }),
    );

  it("without a key run nothing", async () => {
    const error = {
      code: "not_supported",
      message: "Functions of type e2b need the setting PARLEY_E2B_API_KEY",
    };
    expect(await runE2b(lazy({}), one)).toEqual([{ type: "errored", error }]);
  });

  it("say where E2B is, and their key is in no line of the log", async () => {
    const lines: string[] = [];
    fake.make((request, response) => {
      if (!isDeletion(request)) return false;
      response.writeHead(500, LEAK).end(FAKE_KEY);
      return true;
    });
    expect(await runE2b(lazy(fake.settings, lines), one)).toEqual([
      { type: "succeeded", result: 1 },
    ]);
    expect(lines).toMatchObject([expect.stringContaining("could not be deleted")]);
    expect(lines.join("")).not.toContain(FAKE_KEY);
    await fake.removeAll();
  });
});

function executionOf(program: E2bProgram) {
  const limits = { timeoutMs: 10_000, maxOutputBytes: 10_000, maxLogLines: 100 };
  const ids = { workspaceId: 1, functionId: "sfn_a", version: 1, seed: "sfi_a", attempt: 1 };
  const { signal } = new AbortController();
  return { ...ids, program, input: "null", timezone: "UTC", limits, signal };
}
