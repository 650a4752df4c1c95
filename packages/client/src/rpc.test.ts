import { expect, test } from "vitest";
import { createRpcClient } from "./rpc.ts";
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
