import type { SentValue } from "@parley/schema";
import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { type Answer, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";

// What superjson notes about an input is a stranger's: it is checked before superjson builds anything from it.

const server = shareServer();

const json = { "content-type": "application/json" };
const rpc = (procedure: string, rest: Omit<Request, "path"> = {}) =>
  send(server(), { path: `/rpc/${procedure}`, key: server().demo.userKey, ...rest });
const get = (procedure: string, input: unknown, also = "") =>
  rpc(`${procedure}?${also}input=${encodeURIComponent(JSON.stringify(input))}`);

/** The message of an answer that is a 400 over the RPC. */
function refusalOf(answer: Answer): string {
  expect(`${answer.status} ${answer.text}`).toMatch(/^400 .*"type":"invalid_request_error"/);
  return /"message":"Invalid request body: ([^"]*)"/.exec(answer.text)?.[1] ?? answer.text;
}

/** An input of `skills.list` whose annotation would make a list of 2^32 elements. */
const grown = () => ({
  json: { wId: server().demo.workspaceId, x: [] },
  meta: { values: { "x.4294967294": ["undefined"] } },
});

test("a note of what the input does not have is refused wherever an input comes in", async () => {
  const missing = "x: has no member that meta.values names";
  expect(refusalOf(await get("skills.list", grown()))).toBe(missing);
  const fine = { json: { wId: server().demo.workspaceId } };
  const batch = await get("skills.list,skills.list", { 0: fine, 1: grown() }, "batch=1&");
  expect(refusalOf(batch)).toBe(missing);
  const posted = { headers: json, body: JSON.stringify(grown()) };
  expect(refusalOf(await rpc("sandboxFunctions.invoke", posted))).toBe(missing);
  const followed = await get("sandboxFunctions.events", grown());
  expect(followed.text).toContain(missing);
  expect(followed.text).toContain('"type":"invalid_request_error"');
});

test("what would run code or change prototypes is refused, and changes nothing", async () => {
  const { workspaceId } = server().demo;
  const sent = { wId: workspaceId, functionId: "add", input: { a: 1, b: 2 } };
  const attacks: [object, string][] = [
    [
      { referentialEqualities: { wId: ["__proto__.admin", "constructor.prototype.admin"] } },
      "meta must have no referentialEqualities: each place has its own value",
    ],
    [
      { values: { "input.__proto__.admin": ["undefined"] } },
      "input: meta.values must not name __proto__",
    ],
    [
      { values: { "input.constructor.prototype.admin": ["Date"] } },
      "input: meta.values must not name constructor",
    ],
    [
      { values: { "input.a": [["custom", "x"]] } },
      "input.a: must be JSON, a Date, bigint, Map, Set or undefined, and not custom",
    ],
  ];
  for (const [meta, refusal] of attacks) {
    const body = JSON.stringify({ json: sent, meta });
    expect(refusalOf(await rpc("sandboxFunctions.invoke", { headers: json, body }))).toBe(refusal);
  }
  expect(Object.keys(Object.prototype)).toEqual([]);
});

test("a value that no input can hold is refused by the name of its place", async () => {
  const { url, userKey, workspaceId } = server().demo;
  const client = createRpcClient({ url, apiKey: userKey });
  const values = [Number.NaN, /x/, new Error("x"), new URL(url), 2n ** 53n, new Map([[1, 1]])];
  for (const value of values) {
    const call = { wId: workspaceId, functionId: "add", input: { a: [value as never] } };
    await expect(client.sandboxFunctions.invoke.mutate(call)).rejects.toMatchObject({
      data: { type: "invalid_request_error", issues: [{ path: "input.a[0]" }] },
    });
  }
  const itself: Record<string, unknown> = {};
  itself["a"] = { b: itself };
  const call = { wId: workspaceId, functionId: "add", input: itself as never };
  await expect(client.sandboxFunctions.invoke.mutate(call)).rejects.toThrow(
    "an input must not contain itself",
  );
});

test("each kind of value of superjson arrives as the JSON of it, where any JSON may be", async () => {
  const { url, userKey, operatorKey, workspaceId } = server().demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const { sandboxFunction } = await operator.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug: "echo",
    program: { type: "simulated", behaviour: { durationMs: 0, steps: [], result: "$" } },
  });
  const client = createRpcClient({ url, apiKey: userKey });
  const echo = async (input: SentValue) => {
    const call = { wId: workspaceId, functionId: sandboxFunction.sId, input, context: undefined };
    return (await client.sandboxFunctions.invoke.mutate(call)).outcome;
  };
  const shared = { at: new Date(0) };
  const input = {
    date: new Date(0),
    "a.b": [new Date(1)],
    left: undefined,
    list: [1, undefined],
    bigint: [12n, 12n],
    map: new Map([["x.y", new Map([["at", new Date(2)]])]]),
    set: new Set([1n, new Set(["x"])]),
    twice: [shared, shared],
  };
  const [first, second] = ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z"];
  expect(await echo(input)).toEqual({
    status: "succeeded",
    result: {
      date: first,
      "a.b": [second],
      list: [1, null],
      bigint: [12, 12],
      map: { "x.y": { at: "1970-01-01T00:00:00.002Z" } },
      set: [1, ["x"]],
      twice: [{ at: first }, { at: first }],
    },
  });
  expect(await echo(new Date(0))).toMatchObject({ result: first });
});

test("a time may be a Date, in a query and in a body", async () => {
  const { url, operatorKey, workspaceId: wId } = server().demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const expiresAt = new Date(Date.now() + 3_600_000);
  const name = "until then";
  const { apiKey } = await operator.apiKeys.create.mutate({ wId, name, role: "user", expiresAt });
  expect(apiKey.expiresAt).toBe(expiresAt.getTime());
  const between = async (since: Date, until: Date) =>
    (await operator.audit.list.query({ wId, since, until })).auditEvents.map(
      ({ subjectId }) => subjectId,
    );
  const hour = 3_600_000;
  const now = apiKey.createdAt;
  expect(await between(new Date(now - hour), new Date(now + hour))).toContain(apiKey.sId);
  expect(await between(new Date(now + hour), new Date(now + 2 * hour))).toEqual([]);
});

test("a body with an input of any JSON may hold 100,000 values, over REST and over the RPC", async () => {
  const { workspaceId } = server().demo;
  const call = { input: { a: 1, b: 2 } };
  const post = (path: string, key: string, values: number) => {
    const x = Array.from({ length: values }, () => 0);
    const body = JSON.stringify(
      path.startsWith("/rpc")
        ? { json: { wId: workspaceId, functionId: "add", ...call, x } }
        : { ...call, x },
    );
    return send(server(), { path, key, headers: json, body });
  };
  const key = server().demo.userKey;
  const overRest = pathsOf(server()).invocations("add");
  const overRpc = "/rpc/sandboxFunctions.invoke";
  expect((await post(overRest, key, 99_980)).status).toBe(201);
  // The RPC reads them too, and refuses their member.
  expect(refusalOf(await post(overRpc, key, 99_980))).toMatch("x: unknown field");
  for (const path of [overRest, overRpc]) {
    const refused = "must hold at most 100000 values";
    expect(refusalOf(await post(path, key, 100_000))).toBe(refused);
  }
});
