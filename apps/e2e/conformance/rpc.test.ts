import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { type Answer, minimal, open, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";

// /rpc answers with the same error types as REST, in the envelope that typed clients read.

const server = shareServer();

interface RpcError {
  readonly error: { readonly json: { readonly data: { readonly type: string } } };
}

/** The error type in an answer, or in the first of a batch. */
function typeIn(answer: Answer): string {
  const parsed = JSON.parse(answer.text) as RpcError | RpcError[];
  const first = Array.isArray(parsed) ? parsed[0] : parsed;
  return first?.error?.json?.data?.type ?? `no type in ${answer.text}`;
}

const rpc = (procedure: string, rest: Omit<Request, "path"> = {}) =>
  send(server(), { path: `/rpc/${procedure}`, key: server().demo.operatorKey, ...rest });
const json = { "content-type": "application/json" };
const create = (body: string, rest: Omit<Request, "path"> = {}) =>
  rpc("workspaces.create", { headers: json, body, ...rest });
const list = (input: string) => rpc(`apiKeys.list?input=${encodeURIComponent(input)}`);

test("credentials are checked before anything else is read", async () => {
  const body = "x".repeat(9 * 1024 * 1024);
  const none = await create(body, { key: null });
  expect([none.status, typeIn(none)]).toEqual([401, "not_authenticated"]);
  const malformed = await create(body, { key: "nonsense" });
  expect(typeIn(malformed)).toBe("malformed_authorization_header_error");
  const unknown = await create(body, { key: "sk-unknown" });
  expect([unknown.status, typeIn(unknown)]).toEqual([401, "invalid_api_key_error"]);
  const large = await create(body);
  expect([large.status, typeIn(large)]).toEqual([413, "content_too_large"]);
});

test("the typed client sees the type of every error", async () => {
  const { url, operatorKey, workspaceId, adminKey } = server().demo;
  const client = (apiKey: string) => createRpcClient({ url, apiKey });
  const typed = (type: string) => ({ data: { type } });
  const asking = { wId: workspaceId };
  await expect(client("sk-unknown").apiKeys.list.query(asking)).rejects.toMatchObject(
    typed("invalid_api_key_error"),
  );
  await expect(client(adminKey).workspaces.create.mutate({ name: "x" })).rejects.toMatchObject(
    typed("app_auth_error"),
  );
  const operator = client(operatorKey);
  await expect(operator.apiKeys.list.query({ wId: "nobody" })).rejects.toMatchObject(
    typed("workspace_not_found"),
  );
  await expect(operator.apiKeys.list.query({ wId: "" })).rejects.toMatchObject({
    data: { type: "invalid_request_error", issues: [{ path: "wId" }] },
  });
  await expect(
    operator.apiKeys.revoke.mutate({ wId: workspaceId, keyId: "nobody" }),
  ).rejects.toMatchObject(typed("api_key_not_found"));
  await expect(
    operator.conversations.create.mutate({ wId: workspaceId, ...minimal }),
  ).rejects.toMatchObject(typed("workspace_auth_error"));
});

test("workspaces use the same procedures as REST", async () => {
  const { url, workspaceId, userKey } = server().demo;
  const user = createRpcClient({ url, apiKey: userKey });
  const { conversation } = await user.conversations.create.mutate({
    wId: workspaceId,
    message: { content: "x", mentions: [{ configurationId: "helper" }] },
    blocking: true,
  });
  expect(conversation.content[1]?.[0]).toMatchObject({ status: "succeeded" });
  const { skills } = await user.skills.list.query({ wId: workspaceId, status: "archived" });
  expect(skills.map(({ status }) => status)).toEqual(["archived", "archived"]);
});

const badBodies = [
  { name: "malformed JSON", body: "{" },
  { name: "nothing", body: "" },
  { name: "invalid UTF-8", body: Buffer.from('{"json":{"name":"\xff"}}', "latin1") },
  { name: "null", body: "null" },
  { name: "a string", body: '"x"' },
  { name: "a list", body: "[]" },
  { name: "no input", body: "{}" },
  { name: "a wrong input", body: '{"json":{"name":7}}' },
  { name: "NUL", body: '{"json":{"name":"a\\u0000b"}}' },
  { name: "a lone surrogate", body: '{"json":{"name":"a\\ud83d"}}' },
  { name: "a member __proto__", body: '{"json":{"name":"x","__proto__":{}}}' },
  { name: "an escaped __proto__", body: '{"json":{"name":"x","\\u005f_proto__":{}}}' },
  { name: "a member constructor", body: '{"json":{"name":"x","a":{"constructor":1}}}' },
  {
    name: "a meta path to __proto__",
    body: '{"json":{"name":"x"},"meta":{"values":{"__proto__":["Date"]}}}',
  },
  {
    name: "a deep meta path",
    body: '{"json":{"name":"x"},"meta":{"values":{"a.__proto__":["Date"]}}}',
  },
  {
    name: "an unknown meta type",
    body: '{"json":{"name":"x"},"meta":{"values":{"name":[["custom","x"]]}}}',
  },
  {
    name: "deep nesting",
    body: `{"json":{"name":"x","a":${"[".repeat(50_000)}${"]".repeat(50_000)}}}`,
  },
  {
    name: "deep nesting with a meta",
    body: `{"json":${"[".repeat(50_000)}${"]".repeat(50_000)},"meta":{"values":{"0":["Date"]}}}`,
  },
];

test.for(badBodies)("$name is a 400", async ({ body }) => {
  const answer = await create("", { body });
  expect([answer.status, typeIn(answer)]).toEqual([400, "invalid_request_error"]);
});

test("a bad input in the query is a 400 too", async () => {
  for (const input of ["{", "null", "7", '{"json":{"wId":"x","__proto__":1}}']) {
    const answer = await list(input);
    expect([answer.status, typeIn(answer)]).toEqual([400, "invalid_request_error"]);
  }
  const twice = encodeURIComponent('{"json":{"wId":"x","__proto__":1}}');
  const answer = await rpc(`apiKeys.list?input=${twice}&input=1`);
  expect(answer.status).toBeLessThan(500);
});

test("what JSON cannot hold is not an input of a function", async () => {
  const { workspaceId, userKey } = server().demo;
  const call = { wId: workspaceId, functionId: "add", input: { a: "9007199254740993" } };
  const meta = { values: { "input.a": ["bigint"] } };
  const body = JSON.stringify({ json: call, meta });
  const request = { key: userKey, headers: json, body };
  const answer = await rpc("sandboxFunctions.invoke", request);
  expect([answer.status, typeIn(answer)]).toEqual([400, "invalid_request_error"]);
});

test("a call that would break a batch leaves the others alone", async () => {
  const { workspaceId } = server().demo;
  const calls = { "0": { json: { wId: workspaceId } }, "1": { json: { wId: "nobody" } } };
  const input = encodeURIComponent(JSON.stringify(calls));
  const answer = await rpc(`apiKeys.list,apiKeys.list?batch=1&input=${input}`);
  expect(answer.status).toBe(207);
  expect(JSON.parse(answer.text)).toMatchObject([
    { result: { data: { json: { apiKeys: [{ name: "demo admin" }, { name: "demo user" }] } } } },
    { error: { json: { data: { type: "workspace_not_found" } } } },
  ]);
});

test("a batch has at most 50 calls", async () => {
  const { workspaceId } = server().demo;
  const batch = (size: number) => {
    const calls = Array.from({ length: size }, (_, index) => [
      index,
      { json: { wId: workspaceId } },
    ]);
    const input = encodeURIComponent(JSON.stringify(Object.fromEntries(calls)));
    const procedures = Array.from({ length: size }, () => "apiKeys.list").join(",");
    return rpc(`${procedures}?batch=1&input=${input}`);
  };
  const most = await batch(50);
  expect(most.status).toBe(200);
  expect(JSON.parse(most.text)).toHaveLength(50);
  const more = await batch(51);
  expect([more.status, typeIn(more)]).toEqual([400, "invalid_request_error"]);
});

test("queries are asked with GET, and what changes something with POST", async () => {
  const { workspaceId } = server().demo;
  const input = JSON.stringify({ json: { wId: workspaceId } });
  expect((await list(input)).status).toBe(200);
  const posted = await rpc("apiKeys.list", { headers: json, body: input });
  expect([posted.status, typeIn(posted)]).toEqual([405, "method_not_supported_error"]);
  const got = await rpc(`workspaces.create?input=${encodeURIComponent('{"json":{"name":"x"}}')}`);
  expect([got.status, typeIn(got)]).toEqual([405, "method_not_supported_error"]);
  const unknown = await rpc("workspaces.destroy", { headers: json, body: "{}" });
  expect([unknown.status, typeIn(unknown)]).toEqual([404, "not_found"]);
});

test("a form or plain text is not read", async () => {
  for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
    const answer = await create('{"json":{"name":"x"}}', { headers: { "content-type": type } });
    expect([answer.status, typeIn(answer)]).toEqual([400, "invalid_request_error"]);
  }
});

test("errors carry the request's id and no stack", async () => {
  const answer = await open(server(), {
    path: "/rpc/apiKeys.list?input=%7B%7D",
    key: server().demo.operatorKey,
    headers: { "x-request-id": "seen-1" },
  });
  const text = await answer.text();
  expect(text).toContain('"request_id":"seen-1"');
  expect(text).not.toMatch(/stack|node_modules|\.ts:/);
});

test.for([
  { of: "connectionParams", query: "connectionParams=%7B" },
  { of: "connectionParams", query: "connectionParams=7" },
  { of: "connectionParams", query: 'connectionParams={"a":1}' },
  { of: "connectionParams", query: "connectionParams=[]" },
  { of: "input", query: "input=%7B" },
  { of: "input", query: "input=7" },
  { of: "input", query: "input=null" },
  { of: "input in a batch", query: "batch=1&input=[]" },
  { of: "input in a batch", query: 'batch=1&input={"0":null}' },
  { of: "input in a batch", query: 'batch=1&input={"0":7}' },
])("a malformed $of is named as the caller's fault: $query", async ({ query }) => {
  const { workspaceId, adminKey: key } = server().demo;
  const names = ["skills.list", "sandboxFunctions.events", "apiKeys.list"];
  for (const name of names) {
    const isStream = name === "sandboxFunctions.events";
    if (isStream && query.startsWith("batch")) continue;
    const input = { wId: workspaceId, functionId: "x", invocationId: "x", workspaceId };
    const given = query.includes("input=")
      ? query
      : `${query}&input=${encodeURIComponent(JSON.stringify({ json: input }))}`;
    const answer = await send(server(), { path: `/rpc/${name}?${given}`, key });
    expect(answer.text).toContain('"type":"invalid_request_error"');
    // An event stream may tell of it in its first event.
    expect(isStream ? [200, 400] : [400]).toContain(answer.status);
  }
});

test.for<[unknown, string]>([
  ...[7, {}, { toString: 1 }, { 0: {} }, true].map((include): [unknown, string] => [
    include,
    "include",
  ]),
  [[["log"]], "include[0]"],
])("%j is not a list of event types to include: %s", async ([include, wrong]) => {
  const { workspaceId: wId, adminKey: key } = server().demo;
  const input = { json: { wId, functionId: "x", invocationId: "x", include } };
  const path = `/rpc/sandboxFunctions.events?input=${encodeURIComponent(JSON.stringify(input))}`;
  const answer = await send(server(), { path, key });
  expect(answer.text).toContain('"type":"invalid_request_error"');
  expect(answer.text).toContain(`"path":"${wrong}"`);
});
