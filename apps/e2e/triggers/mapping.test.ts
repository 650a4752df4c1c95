import type { TriggerMapping } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { eventually, shareServer } from "../server.ts";
import { createSender, post } from "./listen.ts";

describe("filters and mappings", () => {
  const server = shareServer();
  const { create, rpc, calls, wId } = createSender(server);

  const outcomeOf = async (mapping: TriggerMapping | null, body: unknown, headers = {}) => {
    const { url, ended, whole } = await create({ source: { type: "url" }, mapping });
    expect((await post(url, JSON.stringify(body), headers)).status).toBe(200);
    const [event] = await ended(1);
    const { status, message, error } = await whole(event!.sId);
    return { status, message, error };
  };
  const jsonata = (filter?: string, message?: string): TriggerMapping => {
    return { type: "jsonata", filter, message };
  };
  const code = (source: string): TriggerMapping => ({ type: "javascript", source });

  it.each<[string, TriggerMapping | null, unknown, object]>([
    ["the body, by default", null, { a: 1 }, { status: "started", message: '{"a":1}' }],
    ["JSONata", jsonata("body.a > 1", "'a is ' & body.a"), { a: 2 }, { message: "a is 2" }],
    [
      "a filter that holds not",
      jsonata("body.a > 1"),
      { a: 1 },
      { status: "ignored", message: null },
    ],
    [
      "a filter alone",
      jsonata("body.a"),
      { a: [2] },
      { status: "started", message: '{\n  "a": [\n    2\n  ]\n}' },
    ],
    ["nothing that is found", jsonata(undefined, "body.b"), { a: 1 }, { status: "ignored" }],
    ["headers", jsonata(undefined, "headers.`x-kind`"), 1, { message: "new" }],
    [
      "code",
      code("export default ({ body }) => `a is ${body.a}`"),
      { a: 3 },
      { message: "a is 3" },
    ],
    [
      "code in TypeScript that waits",
      code(
        "export default async (event: { body: number }): Promise<string> => `${await event.body}`",
      ),
      4,
      { message: "4" },
    ],
    ["code that ignores it", code("export default () => null"), 1, { status: "ignored" }],
    [
      "an error of JSONata",
      jsonata(undefined, "$number('x')"),
      1,
      { status: "failed", error: expect.stringContaining("Unable to cast") },
    ],
    [
      "an error of code",
      code("export default () => { throw new Error('No order') }"),
      1,
      { status: "failed", error: expect.stringContaining("No order") },
    ],
    [
      "code without an end",
      code("export default () => { for (;;); }"),
      1,
      // Where the processor is shared, its time ends first.
      { status: "failed", error: expect.stringMatching(/cpu_exceeded|timed_out/) },
    ],
    [
      "JSONata without an end",
      jsonata(undefined, "($f := function($n) { $f($n + 1) }; $f(0))"),
      1,
      { status: "failed", error: expect.any(String) },
    ],
    [
      "code that fills the memory",
      code(
        "export default () => { const all = []; for (;;) all.push('x'.repeat(1e6) + all.length); }",
      ),
      1,
      { status: "failed", error: expect.stringContaining("out_of_memory") },
    ],
    [
      "code that calls the network",
      code(
        "export default async (event, context) => (await context.fetch('http://127.0.0.1:1/')).status",
      ),
      1,
      { status: "failed", error: expect.any(String) },
    ],
    [
      "an empty message",
      jsonata(undefined, "''"),
      1,
      { status: "failed", error: expect.stringContaining("The message is empty") },
    ],
    [
      "a message that is too long",
      null,
      "x".repeat(1_048_576),
      { status: "failed", error: expect.stringContaining("at most 1048576 bytes") },
    ],
  ])("make of an event what they say: %s", async (_name, mapping, body, expected) => {
    expect(await outcomeOf(mapping, body, { "x-kind": "new" })).toMatchObject(expected);
  });

  it.each([
    ["mapping.filter", jsonata("a b")],
    ["mapping.message", jsonata(undefined, "(")],
    ["mapping.source", code("export default (")],
  ])("are refused before they are stored: %s", async (path, mapping) => {
    const refused = create({ source: { type: "url" }, mapping });
    await expect(refused).rejects.toThrow(path);
  });

  it("give a function its input", async () => {
    const { url, ended } = await create({
      source: { type: "url" },
      agent: null,
      function: { functionId: "add" },
      mapping: jsonata(undefined, "{ 'a': body.first, 'b': body.second }"),
    });
    await post(url, '{"first":2,"second":3}');
    const [event] = await ended(1);
    const { functionId, invocationId } = event!.started!;
    const named = { wId: wId(), functionId: functionId!, invocationId: invocationId! };
    const result = await eventually(async () => {
      const { invocation } = await calls.rpc().invocations.get.query(named);
      return invocation.status === "created" ? {} : { value: invocation };
    }, 10_000);
    expect(result).toMatchObject({ status: "succeeded" });
  });

  it("are tried with a sample, which starts nothing", async () => {
    const { named, whole, events } = await create({
      source: { type: "github" },
      mapping: jsonata("headers.`x-github-event` = 'issues'", "body.title"),
    });
    const sample = {
      ...named,
      body: { title: "It hangs" },
      headers: { "X-GitHub-Event": "issues" },
    };
    const { event } = await rpc().test.mutate(sample);
    expect(event).toMatchObject({
      status: "waiting",
      isSample: true,
      body: '{"title":"It hangs"}',
    });
    const tried = await eventually(async () => {
      const one = await whole(event.sId);
      return one.status === "waiting" ? {} : { value: one };
    }, 10_000);
    expect(tried).toMatchObject({ status: "tried", message: "It hangs", started: null });
    expect(await events()).toHaveLength(1);
    expect((await rpc().read.query(named)).trigger.lastEventAt).toBeNull();
  });

  it("start again what is replayed, as something new", async () => {
    const { url, named, ended } = await create({
      source: { type: "url" },
      mapping: jsonata(undefined, "$number(body)"),
    });
    await post(url, '"x"');
    await post(url, '"1"');
    const [good, bad] = await ended(2);
    expect([good!.status, bad!.status]).toEqual(["started", "failed"]);
    const failing = (await rpc().read.query(named)).trigger;
    await rpc().update.mutate({ ...named, version: failing.version, mapping: null });
    expect(await rpc().replay.mutate(named)).toEqual({ queued: 1, hasMore: false });
    const [, fixed] = await ended(2);
    expect(fixed).toMatchObject({ sId: bad!.sId, status: "started", replays: 1, error: null });
    expect(await rpc().replay.mutate(named)).toMatchObject({ queued: 0 });
    const again = { ...named, eventIds: [good!.sId, "tre_unknown"] };
    expect(await rpc().replay.mutate(again)).toMatchObject({ queued: 1 });
    const [twice] = await ended(2);
    expect(twice!.started!.conversationId).not.toBe(good!.started!.conversationId);
  });
});
