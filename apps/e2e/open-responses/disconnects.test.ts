import { beforeAll, expect, test } from "vitest";
import { open } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

// A client that goes away cancels what nobody could read any more, and nothing else.

const server = shareServer();
const calls = createCalls(server);

/** How the newest run ends, or false while it has not. */
async function endOfNewest(besides: ReadonlySet<string>): Promise<string | false> {
  const { workspaceId: wId } = server().demo;
  const { runs } = await calls.rpc().runs.list.query({ wId, limit: 5 });
  const run = runs.find(({ id }) => !besides.has(id));
  return run !== undefined && ["succeeded", "cancelled"].includes(run.status) && run.status;
}

const input = { model: "agent/slowpoke", input: "x" };
const messages = [{ role: "user", content: "x" }];

// What is cancelled takes longer than any machine needs to notice that its client left.
let endless: string;
beforeAll(async () => {
  const text = "word ".repeat(600);
  endless = await calls.createAgent("endless", { steps: [{ text }], tokenDelayMs: 100 });
});

test.for([
  ["a stored stream", "/v1/responses", { ...input, stream: true }, "succeeded"],
  ["a stored response", "/v1/responses", input, "succeeded"],
  [
    "a background stream",
    "/v1/responses",
    { ...input, stream: true, background: true },
    "succeeded",
  ],
  [
    "a stream that is not stored",
    "/v1/responses",
    { ...input, stream: true, store: false },
    "cancelled",
  ],
  ["a response that is not stored", "/v1/responses", { ...input, store: false }, "cancelled"],
  ["a chat completion", "/v1/chat/completions", { messages }, "cancelled"],
] as const)("%s whose client leaves", async ([_name, path, json, expected]) => {
  const { workspaceId: wId } = server().demo;
  const { runs } = await calls.rpc().runs.list.query({ wId, limit: 100 });
  const before = new Set(runs.map(({ id }) => id));
  const leaving = new AbortController();
  const model = expected === "cancelled" ? `agent/${endless}` : input.model;
  const request = open(server(), { path, json: { ...json, model }, signal: leaving.signal }).catch(
    () => {},
  );
  await eventually(async () => {
    const now = await calls.rpc().runs.list.query({ wId, limit: 1 });
    const isBegun = now.runs.some(({ id, status }) => !before.has(id) && status === "running");
    return isBegun ? { value: true } : {};
  }, 10_000);
  leaving.abort();
  await request;
  const end = await eventually(async () => {
    const status = await endOfNewest(before);
    return status === false ? {} : { value: status };
  }, 10_000);
  expect(end).toBe(expected);
});
