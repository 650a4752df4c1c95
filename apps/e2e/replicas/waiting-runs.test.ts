import { expect, test } from "vitest";
import { scrape } from "../observability/scrape.ts";
import { expectError, pathsOf, type Request, send } from "../request.ts";
import { createPlace } from "../server.ts";
import { mentionOf } from "../siblings/calls.ts";
import { startFleet } from "./fleet.ts";

// A server whose workers are all gone takes so much of each workspace, and no more.

// It starts three processes, one behind the other.
const options = { timeout: 180_000 };
test("an API without workers takes what may wait", options, async () => {
  await using place = await createPlace();
  await using fleet = await startFleet(
    place,
    { apis: 1, workers: 0 },
    {
      PARLEY_WORKSPACE_WAITING_RUNS: "2",
      PARLEY_METRICS_PORT: "0",
      PARLEY_SHUTDOWN_DELAY_MS: "0",
    },
  );
  const api = { ...fleet.apis[0]!, demo: fleet.demo };
  const { conversations, invocations } = pathsOf(api);
  const json = { message: { content: "Hello", mentions: mentionOf("helper") } };
  const create = (key: string): Request => ({
    path: conversations,
    json,
    headers: { "idempotency-key": key },
  });
  const invoke = {
    path: invocations("add"),
    json: { a: 1, b: 2 },
    headers: { prefer: "respond-async" },
  };
  const first = await send(api, create("first"));
  expect(first.status).toBe(200);
  expect((await send(api, create("second"))).status).toBe(200);
  expect((await send(api, invoke)).status).toBe(201);
  expect((await send(api, invoke)).status).toBe(201);

  const [, id = ""] = /"sId":"(\w+)"/.exec(first.text) ?? [];
  const post = {
    path: `${conversations}/${id}/messages`,
    json: { content: "And?", mentions: mentionOf("helper") },
  };
  for (const request of [create("third"), { path: conversations, json }, post, invoke]) {
    const refused = await send(api, request);
    expectError(refused, "rate_limit_error", { message: "Too many" });
    expect(refused.headers.get("retry-after")).toBe("2");
  }
  const { value } = await scrape(api);
  expect(value("parley_runs_refused_total", { kind: "agent_turn" })).toBe(3);
  expect(value("parley_runs_refused_total", { kind: "invocation" })).toBe(1);
  // What asks for no run continues, and so does what was made before.
  const silent = { path: conversations, json: { message: { content: "Hello", mentions: [] } } };
  expect((await send(api, silent)).status).toBe(200);
  expect((await send(api, create("first"))).headers.get("idempotent-replayed")).toBe("true");

  await fleet.replaceWorker(0, "SIGTERM");
  const admitted = async () => (await send(api, create("third"))).status;
  await expect.poll(admitted, { timeout: 20_000 }).toBe(200);
});
