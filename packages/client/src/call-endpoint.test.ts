import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { ParleyOptions } from "./connection.ts";
import { createParley } from "./parley.ts";
import { ParleyError } from "./errors.ts";
import {
  hangUp,
  json,
  refusal,
  type ScriptedServer,
  startScriptedServer,
} from "../testing/scripted-server.ts";

const KEY = "sk-very-secret";

const clientOf = ({ url }: ScriptedServer, options: Partial<ParleyOptions> = {}) =>
  createParley({ baseUrl: `${url}/`, workspaceId: "w1", apiKey: KEY, ...options });

const hello = { message: { content: "Hello!", mentions: [] } };

/** What a call rejects with. */
const failure = async (call: Promise<unknown>): Promise<ParleyError> => {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ParleyError)) throw new Error(`Not a ParleyError: ${String(error)}`);
  return error;
};

// Without it, retries wait as long as they may; what the server asks for is waited for all the same.
beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

test("a call sends what its path does not take as its query or its body", async () => {
  await using server = await startScriptedServer(json(200, {}));
  const parley = clientOf(server);
  await parley.conversations.get({ conversationId: "c1" });
  await parley.skills.list({ status: "active", availability: ["editors", "users_and_agents"] });
  await parley.conversations.update({ conversationId: "c1", title: "T" });
  await parley.conversations.delete({ conversationId: "c1" });
  await parley.functions.invoke({ functionId: "add", input: { a: 1 } }, { waitSeconds: 0 });
  expect(server.seen.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
    "GET /api/v1/w/w1/assistant/conversations/c1 ",
    "GET /api/v1/w/w1/skills?status=active&availability=editors&availability=users_and_agents ",
    'PATCH /api/v1/w/w1/assistant/conversations/c1 {"title":"T"}',
    "DELETE /api/v1/w/w1/assistant/conversations/c1 ",
    'POST /api/w/w1/sandbox-functions/add/invocations {"input":{"a":1}}',
  ]);
  expect(new Set(server.seen.map(({ headers }) => headers.authorization))).toEqual(
    new Set([`Bearer ${KEY}`]),
  );
  expect(server.seen[4]?.headers["prefer"]).toBe("wait=0");
});

test.for([
  ["a connection that ends", hangUp],
  ["an answer that ends in the middle", cutAnswer],
  ["503", refusal(503, "service_unavailable")],
  ["429", refusal(429, "rate_limit_error")],
  ["a proxy's 502", htmlPage(502)],
  ["a key that is in use", refusal(409, "idempotency_key_in_use")],
] as const)("%s is tried again, under the same Idempotency-Key", async ([, fault]) => {
  await using server = await startScriptedServer(fault, fault, json(200, { done: true }));
  expect(await clientOf(server).conversations.create(hello)).toEqual({ done: true });
  const keys = server.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys).toHaveLength(3);
  expect(keys[0]).toMatch(/^\d{1,10}(?:-\d{1,10}){3}$/);
  expect(new Set(keys).size).toBe(1);
});

test("another call has another key, unless the caller gives it one", async () => {
  await using server = await startScriptedServer(json(200, {}));
  const parley = clientOf(server);
  await parley.conversations.create(hello);
  await parley.conversations.create(hello);
  await parley.conversations.create(hello, { idempotencyKey: "order-4711" });
  const keys = server.seen.map(({ headers }) => headers["idempotency-key"]);
  expect(keys[0]).not.toBe(keys[1]);
  expect(keys[2]).toBe("order-4711");
  for (const idempotencyKey of ["", "a b", "é", "a\n", "x".repeat(256)]) {
    const call = parley.conversations.create(hello, { idempotencyKey });
    await expect(call).rejects.toThrow("idempotencyKey must be 1 to 255 characters");
  }
  expect(server.seen).toHaveLength(3);
});

test("what may have been done is not tried again without a key", async () => {
  const form = { files: [{ path: "a/SKILL.md", content: "x" }] };
  for (const fault of [hangUp, refusal(503, "service_unavailable")]) {
    await using server = await startScriptedServer(fault, json(200, {}));
    const parley = clientOf(server);
    await failure(parley.conversations.update({ conversationId: "c1", read: true }));
    expect(server.seen).toHaveLength(1);
  }
  await using server = await startScriptedServer(hangUp);
  await failure(clientOf(server).skills.import(form));
  expect(server.seen).toHaveLength(1);
});

test("what was refused unread is tried again with or without a key", async () => {
  const refused = refusal(429, "rate_limit_error");
  await using server = await startScriptedServer(refused, json(200, { done: true }));
  const form = { files: [{ path: "a/SKILL.md", content: "x" }] };
  expect(await clientOf(server).skills.import(form)).toEqual({ done: true });
});

test.for([400, 401, 403, 404, 422, 500])("%i is told at once", async (status) => {
  await using server = await startScriptedServer(refusal(status, "some_error"));
  const error = await failure(clientOf(server).skills.list());
  expect(error).toMatchObject({ status, type: "some_error", requestId: "req-1", issues: [] });
  expect(error.message).toBe("It is some_error");
  expect(server.seen).toHaveLength(1);
});

test("it is tried no more often than allowed, and then fails", async () => {
  await using server = await startScriptedServer(refusal(503, "service_unavailable"));
  const parley = clientOf(server, { maxRetries: 2 });
  expect((await failure(parley.skills.list())).status).toBe(503);
  expect(server.seen).toHaveLength(3);
  await failure(parley.skills.list({}, { maxRetries: 0 }));
  expect(server.seen).toHaveLength(4);
});

test("what a budget refuses is not sent again, not even when its period ends", async () => {
  await using server = await startScriptedServer(
    refusal(429, "budget_exceeded", { "retry-after": "0" }),
  );
  const error = await failure(clientOf(server).conversations.create(hello));
  expect([error.type, error.status]).toEqual(["budget_exceeded", 429]);
  expect(server.seen).toHaveLength(1);
});

test("Retry-After is waited for, unless it is longer than the call may take", async () => {
  const soon = refusal(429, "rate_limit_error", { "retry-after": "1" });
  await using patient = await startScriptedServer(soon, json(200, {}));
  const timers = vi.spyOn(globalThis, "setTimeout");
  await clientOf(patient).skills.list();
  expect(timers.mock.calls.map(([, ms]) => ms)).toContain(1000);

  await using hurried = await startScriptedServer(soon, json(200, {}));
  const error = await failure(clientOf(hurried).skills.list({}, { timeoutMs: 500 }));
  expect(error).toMatchObject({ type: "rate_limit_error", retryAfterMs: 1000 });

  const late = refusal(429, "rate_limit_error", { "retry-after": "3600" });
  await using far = await startScriptedServer(late, json(200, {}));
  expect((await failure(clientOf(far).skills.list())).retryAfterMs).toBe(3_600_000);
});

test("a call takes no longer than it may, however slow the body comes", async () => {
  await using server = await startScriptedServer((response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write('{"skills": [');
  });
  const error = await failure(clientOf(server).skills.list({}, { timeoutMs: 100 }));
  expect(error).toMatchObject({ type: "timed_out", status: undefined });
});

test.for([
  ["what waits for nothing", 60_000, "list"],
  ["what waits for answers", 200_000, "create"],
  ["what waits for an outcome", 90_000, "invoke"],
] as const)("%s has time for it", async ([, timeoutMs, what]) => {
  await using server = await startScriptedServer(json(200, {}));
  const timers = vi.spyOn(globalThis, "setTimeout");
  const { conversations, functions } = clientOf(server);
  const calls = {
    list: async () => conversations.list(),
    create: async () => conversations.create({ ...hello, blocking: true }),
    invoke: async () => functions.invoke({ functionId: "f" }, { waitSeconds: 30 }),
  };
  await calls[what]();
  expect(timers.mock.calls[0]?.[1]).toBe(timeoutMs);
});

test("a signal ends a call with its own reason, also between two attempts", async () => {
  const reason = new Error("changed my mind");
  await using server = await startScriptedServer(() => {});
  const sent = clientOf(server).skills.list({}, { signal: AbortSignal.abort(reason) });
  await expect(sent).rejects.toBe(reason);
  expect(server.seen).toEqual([]);

  const busy = refusal(503, "service_unavailable", { "retry-after": "20" });
  await using waiting = await startScriptedServer(busy);
  const controller = new AbortController();
  const call = clientOf(waiting).skills.list({}, { signal: controller.signal });
  await vi.waitUntil(() => waiting.seen.length === 1);
  controller.abort(reason);
  await expect(call).rejects.toBe(reason);
});

test("a key that is a function is asked for each request", async () => {
  await using server = await startScriptedServer(hangUp, hangUp, json(200, {}));
  let count = 0;
  await clientOf(server, { apiKey: async () => `sk-${++count}` }).skills.list();
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer sk-1",
    "Bearer sk-2",
    "Bearer sk-3",
  ]);
});

test("no error says the key, or an address with a secret in it", async () => {
  await using server = await startScriptedServer(hangUp);
  const unusable = `${KEY}\nx`;
  const errors = [
    await failure(clientOf(server, { maxRetries: 0 }).skills.list()),
    await failure(clientOf(server, { apiKey: unusable }).skills.list()),
    await failure(clientOf(server, { apiKey: async () => unusable }).skills.list()),
    await failure(clientOf(server, { apiKey: "" }).skills.list()),
  ];
  expect(errors.map(({ type }) => type)).toEqual([
    "connection_failed",
    "invalid_api_key",
    "invalid_api_key",
    "invalid_api_key",
  ]);
  for (const error of errors) {
    const told = [
      error.stack,
      JSON.stringify(error),
      String(error.cause),
      (error.cause as Error)?.stack,
    ];
    expect(told.join("\n")).not.toContain("very-secret");
  }
  for (const baseUrl of ["http://user:very-secret@x", "http://x?key=very-secret", "very-secret"]) {
    const create = () => createParley({ baseUrl, workspaceId: "w", apiKey: KEY });
    expect(create).toThrow(/^baseUrl must be /);
  }
});

test("the key does not follow a redirect to elsewhere", async () => {
  await using other = await startScriptedServer(json(200, {}));
  const away = (response: Parameters<typeof hangUp>[0]) =>
    void response.writeHead(307, { location: `${other.url}/steal` }).end();
  await using server = await startScriptedServer(away);
  const parley = clientOf(server);
  expect((await failure(parley.skills.list())).type).toBe("unexpected_redirect");
  expect((await failure(parley.conversations.create(hello))).type).toBe("unexpected_redirect");
  const follower = parley.conversations.follow({ conversationId: "c1" });
  expect((await failure(follower.next())).type).toBe("unexpected_redirect");
  expect(other.seen).toEqual([]);
});

test("a response that is not Parley's is an error that says so", async () => {
  await using server = await startScriptedServer(htmlPage(404), htmlPage(200));
  const parley = clientOf(server);
  expect(await failure(parley.skills.list())).toMatchObject({
    type: "unexpected_response_format",
    status: 404,
  });
  expect(await failure(parley.skills.list())).toMatchObject({
    type: "unexpected_response_format",
    status: 200,
  });
});

test("listeners get warnings", async () => {
  const warnings = [{ path: "message.mentions[0].configurationId", message: "no such agent" }];
  await using server = await startScriptedServer(json(200, { warnings }));
  const told: unknown[] = [];
  const onWarning = (warning: unknown) => void told.push(warning);
  await clientOf(server, { onWarning }).conversations.create(hello);
  expect(told).toEqual(warnings);
});

test.for([
  ["development", ["Parley: message: no such agent"]],
  ["production", []],
] as const)("without a listener, %s prints warnings: %j", async ([environment, printed]) => {
  vi.stubEnv("NODE_ENV", environment);
  const print = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => {
    vi.unstubAllEnvs();
    print.mockRestore();
  });
  const warnings = [{ path: "message", message: "no such agent" }];
  await using server = await startScriptedServer(json(200, { warnings }));
  await clientOf(server).conversations.create(hello);
  expect(print.mock.calls.flat()).toEqual(printed);
});

function htmlPage(status: number) {
  return (response: Parameters<typeof hangUp>[0]): void => {
    response.writeHead(status, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
  };
}

function cutAnswer(response: Parameters<typeof hangUp>[0]): void {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"done":', () => response.destroy());
}
