import { createRpcClient } from "parley-client";
import { expect, test } from "vitest";
import { type Answer, expectError, minimal, open, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";

// The interface: rate limits and open streams; and the two health routes.

const policyPattern = /^"[a-z-]+";q=\d+;w=\d+(?:, "[a-z-]+";q=\d+;w=\d+)*$/;
const leftPattern = /^"[a-z-]+";r=\d+;t=\d+(?:, "[a-z-]+";r=\d+;t=\d+)*$/;

function expectLimited(answer: Answer): void {
  expectError(answer, "rate_limit_error");
  const retryAfter = answer.headers.get("retry-after") ?? "";
  expect(retryAfter).toMatch(/^\d+$/);
  expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);
  expect(Number(retryAfter)).toBeLessThanOrEqual(60);
}

const server = shareServer({
  PARLEY_RATE_CREATE_PER_MINUTE: "3",
  PARLEY_RATE_CREATE_PER_HOUR: "1000",
  PARLEY_RATE_INVOKE_PER_MINUTE: "2",
  PARLEY_RATE_FAILED_AUTH_PER_MINUTE: "5",
  PARLEY_MAX_STREAMS_PER_KEY: "2",
});
const create = (key: string, json: unknown = minimal) =>
  send(server(), { path: pathsOf(server()).conversations, key, json });

async function createKey(): Promise<string> {
  const { url, operatorKey, workspaceId } = server().demo;
  const operator = createRpcClient({ url, apiKey: operatorKey });
  const key = { wId: workspaceId, name: "limits", role: "user" } as const;
  return (await operator.apiKeys.create.mutate(key)).secret;
}

test("every answer says what is left, until nothing is", async () => {
  const key = await createKey();
  for (const left of [2, 1, 0]) {
    const { status, headers } = await create(key);
    expect(status).toBe(200);
    const policy = headers.get("ratelimit-policy") ?? "";
    expect(policy).toMatch(policyPattern);
    expect(policy).toContain('"create";q=3;w=60');
    expect(policy).toContain('"create-hour";q=1000;w=3600');
    const rateLimit = headers.get("ratelimit") ?? "";
    expect(rateLimit).toMatch(leftPattern);
    expect(rateLimit).toMatch(new RegExp(`"create";r=${left};t=\\d`));
    expect(headers.get("retry-after")).toBeNull();
  }
  expectLimited(await create(key));
  expectLimited(await create(key));
});

test("a limit is a key's own, and a class's own", async () => {
  const key = await createKey();
  for (let call = 0; call < 3; call++) await create(key);
  expectLimited(await create(key));
  expect((await create(await createKey())).status).toBe(200);
  const listed = await send(server(), { path: pathsOf(server()).skills, key });
  expect(listed.status).toBe(200);
  expect(listed.headers.get("ratelimit-policy")).toContain('"read";q=3000;w=60');
  const invoke = { path: pathsOf(server()).invocations("always-fails"), key, json: {} };
  expect((await send(server(), invoke)).status).toBe(201);
  expect((await send(server(), invoke)).status).toBe(201);
  expectLimited(await send(server(), invoke));
});

test("refused requests count, and say what is left", async () => {
  const key = await createKey();
  for (const left of [2, 1, 0]) {
    const answer = await create(key, {});
    expectError(answer, "invalid_request_error");
    expect(answer.headers.get("ratelimit")).toMatch(new RegExp(`"create";r=${left};`));
  }
  expectLimited(await create(key));
});

test("refused credentials are limited, and a valid key is not", async () => {
  const { skills } = pathsOf(server());
  const { adminKey } = server().demo;
  const bad = (key: string | null) => send(server(), { path: skills, key });
  const types = new Set<string>();
  for (let attempt = 0; attempt < 20; attempt++) {
    const { text } = await bad(attempt % 2 === 0 ? "sk-guess" : null);
    types.add(/"type":"(\w+)"/.exec(text)?.[1] ?? "");
    expect((await bad(adminKey)).status).toBe(200);
  }
  expect(types).toEqual(
    new Set(["invalid_api_key_error", "not_authenticated", "rate_limit_error"]),
  );
  expectLimited(await bad("sk-guess"));
  expect((await bad(adminKey)).status).toBe(200);
});

test("a key has so many open streams, and a place is free once one is closed", async () => {
  const key = await createKey();
  const invoke = { path: pathsOf(server()).invocations("slow-steps"), key, json: {} };
  const started = await send(server(), { ...invoke, headers: { prefer: "respond-async" } });
  const id = /"sId":"(sfi_\w+)"/.exec(started.text)?.[1] ?? "";
  const redirect = pathsOf(server()).events("slow-steps", id);
  const path = redirect.replace("/api/", "/api/sse/");
  const abort = new AbortController();
  const first = await open(server(), { path, key, signal: abort.signal });
  const second = await open(server(), { path, key });
  expect([first.status, second.status]).toEqual([200, 200]);
  expectLimited(await send(server(), { path, key }));
  // Limits are counted at the stream, not at the redirect.
  expect((await send(server(), { path: redirect, key })).status).toBe(307);
  abort.abort();
  await expect
    .poll(async () => (await open(server(), { path, key })).status, {
      interval: 20,
      timeout: 5000,
    })
    .toBe(200);
  await second.text();
});

test.for(["/livez", "/readyz"])("%s answers without a credential", async (path) => {
  const answer = await send(server(), { path, key: null });
  expect(answer.status).toBe(200);
  const sandbox = expect.stringMatching(/^(?:process|namespace)$/) as string;
  const version = expect.stringMatching(/^\d+\.\d+\.\d+/) as string;
  const user = process.geteuid?.() === 0 && { user: "root" };
  const ready = path === "/readyz" && { sandbox, version, ...user };
  expect(JSON.parse(answer.text)).toEqual({ status: "ok", ...ready });
  expect(answer.headers.get("content-type")).toContain("application/json");
});
