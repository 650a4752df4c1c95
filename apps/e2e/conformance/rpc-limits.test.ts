import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { type Answer, minimal, send } from "../request.ts";
import { shareServer } from "../server.ts";

// Every call over /rpc counts as over REST, each call of a batch by itself, before its body is read.

const server = shareServer({
  PARLEY_RATE_CREATE_PER_MINUTE: "5",
  PARLEY_RATE_READ_PER_MINUTE: "20",
});

async function createKey(): Promise<string> {
  const { url, operatorKey, workspaceId } = server().demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const key = { wId: workspaceId, name: "limits", role: "user" } as const;
  return (await operator.apiKeys.create.mutate(key)).secret;
}

const call = () => ({ json: { wId: server().demo.workspaceId } });
const batch = (names: readonly string[]) => {
  const input = JSON.stringify(Object.fromEntries(names.map((_, index) => [index, call()])));
  return `/rpc/${names.join(",")}?batch=1&input=${encodeURIComponent(input)}`;
};
const times = (count: number, name: string) => Array.from({ length: count }, () => name);
const get = (path: string, key: string) => send(server(), { path, key });

/** How many calls of a class are left. */
function leftOf(kind: string, answer: Answer): number | undefined {
  const left = new RegExp(`"${kind}";r=(\\d+);`).exec(answer.headers.get("ratelimit") ?? "")?.[1];
  return left === undefined ? undefined : Number(left);
}

function expectLimited(answer: Answer): void {
  expect(answer.status).toBe(429);
  expect(answer.text).toContain('"type":"rate_limit_error"');
  expect(Number(answer.headers.get("retry-after"))).toBeGreaterThanOrEqual(1);
  expect(answer.headers.get("ratelimit-policy")).toMatch(/^"[a-z-]+";q=\d+;w=\d+/);
}

test("each call of a batch counts", async () => {
  const key = await createKey();
  const first = await get(batch(times(3, "skills.list")), key);
  expect([first.status, leftOf("read", first)]).toEqual([200, 17]);
  const second = await get(batch(times(17, "skills.list")), key);
  expect([second.status, leftOf("read", second)]).toEqual([200, 0]);
  expectLimited(await get(batch(["skills.list"]), key));
});

test("a batch that asks for more than is left is refused whole", async () => {
  const key = await createKey();
  expectLimited(await get(batch(times(21, "skills.list")), key));
});

test("a batch of several classes counts against each, and says so", async () => {
  const key = await createKey();
  const answer = await get(batch(["skills.list", "apiKeys.list", "skills.list"]), key);
  expect([leftOf("read", answer), leftOf("operate", answer)]).toEqual([18, 19]);
  expect(answer.headers.get("ratelimit-policy")).toBe('"read";q=20;w=60, "operate";q=20;w=60');
});

test("creates over RPC and REST share a limit", async () => {
  const key = await createKey();
  const { workspaceId } = server().demo;
  const json = { json: { wId: workspaceId, ...minimal } };
  const create = { path: "/rpc/conversations.create", key, json };
  expect(leftOf("create", await send(server(), create))).toBe(4);
  const rest = { path: `/api/v1/w/${workspaceId}/assistant/conversations`, key, json: minimal };
  expect(leftOf("create", await send(server(), rest))).toBe(3);
});

test("calls are counted before their body is read", async () => {
  const key = await createKey();
  const headers = { "content-type": "application/json" };
  const path = `/rpc/${times(2, "conversations.create").join(",")}?batch=1`;
  for (const left of [3, 1]) {
    const malformed = await send(server(), { path, key, headers, body: "{" });
    expect([malformed.status, leftOf("create", malformed)]).toEqual([400, left]);
  }
  const large = "x".repeat(9 * 1024 * 1024);
  expectLimited(await send(server(), { path, key, headers, body: large }));
});

test("what is unknown, and a batch that is too long, cost something too", async () => {
  const key = await createKey();
  const unknown = await get("/rpc/no.such", key);
  expect([unknown.status, leftOf("operate", unknown)]).toEqual([404, 19]);
  const names = ["constructor", "__proto__.x", "toString", ""];
  const strange = await get(batch(names), key);
  expect([strange.status, leftOf("operate", strange)]).toEqual([404, 15]);
  const other = await createKey();
  const long = await get(batch(times(51, "skills.list")), other);
  expectLimited(long);
  expectLimited(await get(batch(["skills.list"]), other));
});

test("a batch is one wherever the address says so", async () => {
  const key = await createKey();
  const answer = await get(`/rpc/${times(3, "skills.list").join(",")}?x=?&batch=1`, key);
  expect([answer.status, leftOf("read", answer)]).toEqual([400, 17]);
});

test("names with commas are one call if it is not a batch", async () => {
  const key = await createKey();
  const answer = await get(`/rpc/${times(15, "skills.list").join(",")}?batch=0&batch=1`, key);
  expect([answer.status, leftOf("operate", answer)]).toEqual([404, 19]);
});

test.for(["%252C", "%2525252C", "%25"])(
  "a name with a %s in it is refused, and nothing is made of it",
  async (separator) => {
    const key = await createKey();
    const name = times(30, "conversations.create").join(separator);
    const input = Object.fromEntries(
      times(30, "").map((_, index) => [index, { json: { ...call().json, ...minimal } }]),
    );
    const body = JSON.stringify(input);
    const headers = { "content-type": "application/json" };
    const answer = await send(server(), { path: `/rpc/${name}?batch=1`, key, headers, body });
    expect([answer.status, answer.text]).toEqual([
      400,
      expect.stringContaining('"type":"invalid_request_error"'),
    ]);
    const path = `/api/v1/w/${server().demo.workspaceId}/assistant/conversations?limit=100`;
    const listed = JSON.parse((await get(path, server().demo.adminKey)).text) as {
      conversations: { owner: unknown }[];
    };
    expect(listed.conversations.length).toBeLessThan(5);
  },
);
