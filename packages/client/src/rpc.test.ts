import { expect, it, test } from "vitest";
import { createRpcClient, transformer } from "./rpc.ts";
import { type Answer, json, startScriptedServer, stream } from "../testing/scripted-server.ts";

const of = { wId: "w", functionId: "f", invocationId: "i" };
const spaces = (...names: string[]) =>
  json(
    200,
    names.map((name) => ({ result: { data: { json: { spaces: [{ name }] } } } })),
  );
const redirectTo =
  (url: string): Answer =>
  (response) =>
    void response.writeHead(307, { location: url }).end();

/** The error with which a subscription ends. */
const failureOf = (client: ReturnType<typeof createRpcClient>) =>
  new Promise<unknown>((resolve) => {
    client.sandboxFunctions.events.subscribe(of, { onError: resolve });
  });

test("calls of one tick travel together, under the key of the moment", async () => {
  await using server = await startScriptedServer(spaces("a", "b"), spaces("c"));
  let count = 0;
  const rpc = createRpcClient({ url: `${server.url}/`, apiKey: async () => `sk-${++count}` });
  const both = await Promise.all([1, 2].map(async () => rpc.spaces.list.query({ wId: "w" })));
  expect(both.map((answer) => answer.spaces[0]?.name)).toEqual(["a", "b"]);
  await rpc.spaces.list.query({ wId: "w" });
  expect(server.seen.map(({ url }) => url.replace(/\?.*/, ""))).toEqual([
    "/rpc/spaces.list,spaces.list",
    "/rpc/spaces.list",
  ]);
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer sk-1",
    "Bearer sk-2",
  ]);
});

test("a subscription resumes after its last event, with the current key", async () => {
  const event = (id: number, type: string) =>
    `id: ${id}\ndata: ${JSON.stringify({ json: { type } })}\n\n`;
  const open = "event: connected\ndata: {}\n\nretry: 1\n\n";
  await using server = await startScriptedServer(
    stream(open + event(1, "first"), "cut"),
    stream(`${open}${event(2, "second")}event: return\ndata: \n\n`),
  );
  let count = 0;
  const rpc = createRpcClient({ url: server.url, apiKey: () => `sk-${++count}` });
  const types: string[] = [];
  await new Promise<void>((resolve, reject) => {
    rpc.sandboxFunctions.events.subscribe(of, {
      onData: ({ data }) => void types.push(data.type),
      onComplete: resolve,
      onError: reject,
    });
  });
  expect(types).toEqual(["first", "second"]);
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer sk-1",
    "Bearer sk-2",
  ]);
  expect(server.seen.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "1"]);
});

test("the key does not follow a redirect to elsewhere", async () => {
  await using other = await startScriptedServer(spaces("stolen"));
  await using server = await startScriptedServer(redirectTo(`${other.url}/rpc/spaces.list`));
  const rpc = createRpcClient({ url: server.url, apiKey: "sk-1" });
  await expect(rpc.spaces.list.query({ wId: "w" })).rejects.toThrow("which must not get the key");
  expect(other.seen).toEqual([]);
});

test("the error for a key that no header can carry does not show the key", async () => {
  const rpc = createRpcClient({ url: "http://127.0.0.1:1", apiKey: "sk-very-secret\n" });
  const failures = [
    await rpc.spaces.list.query({ wId: "w" }).catch((error: unknown) => error),
    await failureOf(rpc),
  ];
  for (const error of failures as Error[]) {
    expect(error.message).toBe("apiKey must be a key such as sk-…");
    const told = [error.stack, JSON.stringify(error), (error.cause as Error | undefined)?.stack];
    expect(told.join("\n")).not.toContain("very-secret");
  }
});

const at = new Date(0);

it("sends each kind of value as superjson writes it, and reads it", () => {
  const input = { at, big: 12n, map: new Map([[1, new Set([at])]]), left: undefined, a: [1, "x"] };
  const sent = transformer.serialize(input);
  expect(Object.keys(sent.meta ?? {}).toSorted()).toEqual(["v", "values"]);
  expect(transformer.deserialize(JSON.parse(JSON.stringify(sent)))).toStrictEqual(input);
  expect(transformer.serialize({ a: 1 })).toStrictEqual({ json: { a: 1 } });
});

it("sends what stands in several places in each of them", () => {
  const shared = { b: 1 };
  expect(transformer.serialize([shared, { shared }])).toStrictEqual({
    json: [{ b: 1 }, { shared: { b: 1 } }],
  });
  const sent = transformer.serialize({ one: at, two: at, three: [2n, 2n] });
  expect(transformer.deserialize(JSON.parse(JSON.stringify(sent)))).toStrictEqual({
    one: at,
    two: at,
    three: [2n, 2n],
  });
});

const root: unknown[] = [];
root.push([root]);
const inside: Record<string, unknown> = {};
inside["a.b"] = { c: [inside] };
const map = new Map<string, unknown>();
map.set("x", { map });

it.each([
  ["a list", root],
  ["a member", { of: [1, inside] }],
  ["a Map", { map }],
  ["one that is shared before", { z: { deep: { deeper: inside } }, a: inside }],
])("refuses what holds itself: %s", (_name, input) => {
  expect(() => transformer.serialize(input)).toThrow("an input must not contain itself");
});

it.each<[string, unknown, string]>([
  ["a page", "<html>", "the answer is not superjson"],
  ["nothing", undefined, "the answer is not superjson"],
  ["other JSON", { result: 1 }, "the answer is not superjson"],
  [
    "a pollution of all objects",
    { json: { a: {} }, meta: { values: { "a.__proto__.x": ["undefined"] }, v: 1 } },
    "the answer.a meta.values must not name __proto__",
  ],
  [
    "a pollution by equalities",
    { json: { a: 1 }, meta: { referentialEqualities: { a: ["constructor.prototype.x"] } } },
    "the answer meta must have no referentialEqualities: each place has its own value",
  ],
  [
    "an expression",
    { json: ["/(x+)+$/"], meta: { values: { "0": ["regexp"] } } },
    "the answer.0 must be JSON, a Date, bigint, Map, Set or undefined, and not regexp",
  ],
])("refuses an answer that is %s", (_name, sent, message) => {
  expect(() => transformer.deserialize(sent)).toThrow(new TypeError(message));
  expect(Object.keys(Object.prototype)).toEqual([]);
});
