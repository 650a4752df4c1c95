import { createRpcClient } from "parley-client";
import { describe, expect, test } from "vitest";
import { expectError, type Request, send } from "../request.ts";
import { shareServer } from "../server.ts";

// The MCP server as HTTP: what it refuses, and how.

const server = shareServer({
  PARLEY_CORS_ORIGINS: "https://app.example.com",
  PARLEY_PUBLIC_URL: "https://parley.example.com/base",
});
const accept = "application/json, text/event-stream";
const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
const post = (request: Partial<Request> = {}) =>
  send(server(), {
    path: "/mcp",
    ...(request.body === undefined && { json: list }),
    ...request,
    headers: { accept, ...request.headers },
  });
const errorOf = (text: string) =>
  (JSON.parse(text) as { error: { code: number; message: string } }).error;

describe("the credential", () => {
  test("is checked before the body, as everywhere", async () => {
    const body = "{";
    expectError(await post({ key: null, body }), "not_authenticated");
    expectError(await post({ key: "sk-unknown", body }), "invalid_api_key_error");
    expectError(await post({ key: "other", body }), "malformed_authorization_header_error");
    const { headers } = await post({ key: null });
    expect(headers.get("www-authenticate")).toBe("Bearer");
  });

  test("is not an operator's", async () => {
    const refused = await post({ key: server().demo.operatorKey });
    expectError(refused, "app_auth_error", { message: /operator key/ });
  });

  test("is not of a suspended workspace", async () => {
    const operator = createRpcClient({ url: server().url, apiKey: server().demo.operatorKey });
    const { workspace } = await operator.workspaces.create.mutate({ name: "Suspended" });
    const wId = workspace.sId;
    const { secret } = await operator.apiKeys.create.mutate({ wId, name: "key", role: "user" });
    expect((await post({ key: secret })).status).toBe(200);
    await operator.workspaces.suspend.mutate({ wId });
    const refused = await post({ key: secret });
    expect([401, 403]).toContain(refused.status);
  });
});

describe("a request", () => {
  test("has other methods than POST refused", async () => {
    for (const method of ["GET", "DELETE", "PUT"]) {
      const answer = await send(server(), { path: "/mcp", method });
      expectError(answer, "method_not_supported_error");
      expect(answer.headers.get("allow")).toBe("POST");
    }
  });

  test.for([
    ["malformed JSON", "{", -32700],
    ["text that is not UTF-8", new Uint8Array([0x22, 0xff, 0x22]), -32700],
    ["a text with NUL", JSON.stringify({ ...list, method: "\u0000" }), -32700],
    ["JSON that is nested too deeply", "[".repeat(1000) + "]".repeat(1000), -32700],
    ["too many values", `[${"0,".repeat(100_000)}0]`, -32700],
    ["a batch", JSON.stringify([list, list]), -32600],
    ["an empty body", "", -32700],
    ["a message of no kind", "{}", -32700],
    ["a number", "7", -32700],
  ] as const)("with %s is refused", async ([, body, code]) => {
    const answer = await post({ body, headers: { "content-type": "application/json" } });
    expect(answer.status).toBe(400);
    expect([code, -32600]).toContain(errorOf(answer.text).code);
    expect(answer.headers.get("x-request-id")).toMatch(/./);
  });

  test("of another content type, or whose client accepts no events, is refused", async () => {
    const text = await post({ headers: { "content-type": "text/plain" } });
    expect(text.status).toBe(415);
    expect((await post({ headers: { accept: "text/html" } })).status).toBe(406);
  });

  test("that is too large is refused", async () => {
    const body = `"${"x".repeat(9 * 1024 * 1024)}"`;
    expectError(await post({ body }), "content_too_large");
  });

  test("of an unknown revision, with contradicting headers or an unknown method is refused", async () => {
    const unknown = await post({ headers: { "mcp-protocol-version": "1999-01-01" } });
    expect(unknown.status).toBe(400);
    const claimed = await post({ headers: { "mcp-protocol-version": "2026-07-28" } });
    expect(claimed.status).toBe(400);
    const method = await post({ json: { ...list, method: "other/method" } });
    expect(method.text).toContain("-32601");
  });

  test.for(["2025-11-25", "2025-06-18", "2025-03-26"])(
    "agrees on revision %s, without a session",
    async (protocolVersion) => {
      const clientInfo = { name: "x", version: "1" };
      const params = { protocolVersion, capabilities: {}, clientInfo };
      const answer = await post({ json: { ...list, method: "initialize", params } });
      expect(answer.text).toContain(`"protocolVersion":"${protocolVersion}"`);
      expect(answer.headers.has("mcp-session-id")).toBe(false);
    },
  );

  test("that is a notification is accepted, also one that cancels what there is not", async () => {
    const params = { requestId: 1 };
    const json = { jsonrpc: "2.0", method: "notifications/cancelled", params };
    const answer = await post({ json });
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 202, text: "" });
  });

  test("of a page is answered only for origins that may call the server", async () => {
    const origin = "https://app.example.com";
    const allowed = await post({ headers: { origin } });
    expect(allowed.headers.get("access-control-allow-origin")).toBe(origin);
    expect(allowed.status).toBe(200);
    const own = await post({ headers: { origin: new URL(server().url).origin } });
    expect(own.status).toBe(200);
    const published = await post({ headers: { origin: "https://parley.example.com" } });
    expect(published.status).toBe(200);
    const refused = await post({ headers: { origin: "https://evil.example.com" } });
    expectError(refused, "app_auth_error", { message: /origin/ });
  });
});

test("nothing of a failing call shows what is inside", async () => {
  const params = { name: "agent__helper", arguments: { message: "x".repeat(2 * 1024 * 1024) } };
  const { text, status } = await post({ json: { ...list, method: "tools/call", params } });
  expect(status).toBe(200);
  expect(text).toContain("invalid_request_error");
  expect(text).not.toMatch(/node_modules|select |at \w+ \(/);
});

describe("limits", () => {
  const limited = shareServer({ PARLEY_RATE_CREATE_PER_MINUTE: "1" });

  test("count an agent's tool like the call that it makes", async () => {
    const params = { name: "agent__helper", arguments: { message: "Hi" } };
    const ask = () =>
      send(limited(), {
        path: "/mcp",
        headers: { accept },
        json: { ...list, method: "tools/call", params },
      });
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expectError(refused, "rate_limit_error");
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    // What creates nothing is not limited by it.
    const tools = await send(limited(), { path: "/mcp", headers: { accept }, json: list });
    expect(tools.status).toBe(200);
  });
});
