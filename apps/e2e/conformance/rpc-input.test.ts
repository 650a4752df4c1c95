import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { type Answer, pathsOf, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";

// What superjson notes about an input is a stranger's: nothing is built from it.

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

test("a value that JSON does not have is refused by the name of its place and type", async () => {
  const { url, userKey, workspaceId } = server().demo;
  const client = createRpcClient({ url, apiKey: userKey });
  const values = { Set: new Set([1]), Map: new Map(), BigInt: 1n, NaN: Number.NaN, RegExp: /x/ };
  for (const value of Object.values(values)) {
    const call = { wId: workspaceId, functionId: "add", input: { a: [value as never] } };
    await expect(client.sandboxFunctions.invoke.mutate(call)).rejects.toMatchObject({
      data: { type: "invalid_request_error", issues: [{ path: "input.a[0]" }] },
    });
  }
});

test("a Date arrives as the text that JSON has for it, and what is undefined is left out", async () => {
  const { url, userKey, operatorKey, workspaceId } = server().demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const { sandboxFunction } = await operator.sandboxFunctions.create.mutate({
    wId: workspaceId,
    slug: "echo",
    program: { type: "simulated", behaviour: { durationMs: 0, steps: [], result: "$" } },
  });
  const client = createRpcClient({ url, apiKey: userKey });
  const input = { at: new Date(0), "a.b": [new Date(1)], left: undefined };
  const { outcome } = await client.sandboxFunctions.invoke.mutate({
    wId: workspaceId,
    functionId: sandboxFunction.sId,
    input,
    context: undefined,
  });
  const result: unknown = JSON.parse(JSON.stringify(input));
  expect(outcome).toEqual({ status: "succeeded", result });
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
  expect(refusalOf(await post(overRpc, key, 99_980))).toMatch("x: there is no such member");
  for (const path of [overRest, overRpc]) {
    const refused = "must hold at most 100000 values";
    expect(refusalOf(await post(path, key, 100_000))).toBe(refused);
  }
});
