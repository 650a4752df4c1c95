import { afterEach, expect, test } from "vitest";
import { type Answer, expectError, pathsOf } from "../request.ts";
import { shareServer } from "../server.ts";
import { compose, connectTo, expectUntouched, sendRaw } from "./raw.ts";

// Headers that are too large, malformed, or would like to become headers of the answer.

const server = shareServer();
afterEach(() => expectUntouched(server()));

const get = (headers: readonly string[], path = pathsOf(server()).skills) =>
  sendRaw(server(), compose(server(), `GET ${path} HTTP/1.1`, { headers }));
const overflow = { message: "Request line and headers must be less than 16 KiB together" };

test("headers of just under 16 KiB are read", async () => {
  expect((await get([`X: ${"x".repeat(15 * 1024)}`])).status).toBe(200);
});

const large = [
  { name: "a header of 16 KiB", headers: [`X: ${"x".repeat(16 * 1024)}`] },
  { name: "a header name of 16 KiB", headers: [`${"x".repeat(16 * 1024)}: x`] },
  { name: "2,000 headers", headers: Array.from({ length: 2000 }, (_, index) => `X${index}: xxx`) },
  { name: "a credential of 16 KiB", headers: [`Authorization: Bearer sk-${"x".repeat(16_384)}`] },
  { name: "a header of 4 MiB", headers: [`X: ${"x".repeat(4 * 1024 * 1024)}`] },
];

test.for(large)("$name is too much", async ({ headers }) => {
  using connection = await connectTo(server());
  connection.write(compose(server(), "GET /livez HTTP/1.1", { headers }));
  expectError(await connection.answer(), "invalid_request_error", overflow);
  expect(await connection.closed()).toBe("");
});

const malformed = [
  { name: "NUL in a value", header: "X: a\0b" },
  { name: "a bare CR", header: "X: a\rSet-Cookie: x=1" },
  { name: "a bare LF", header: "X: a\nSet-Cookie: x=1" },
  { name: "a folded line", header: "X: a\r\n Set-Cookie: x=1" },
  { name: "a blank in a name", header: "X Y: a" },
  { name: "no colon", header: "X" },
  { name: "no name", header: ": x" },
  { name: "a name that is not ASCII", header: "\xe9: x" },
  { name: "DEL in a value", header: "X: a\x7fb" },
];

test.for(malformed)("$name is not HTTP", async ({ header }) => {
  expectError(await get([header]), "invalid_request_error");
});

const badHost = { message: "The request must be HTTP/1.1 with a valid Host" };

test("a request without Host is refused", async () => {
  const answer = await sendRaw(server(), "GET /livez HTTP/1.1\r\n\r\n");
  expectError(answer, "invalid_request_error", badHost);
});

test.for(["", "[", "a b", "a/b", "a@b", "a?b", "a#b", "x:99999", "\xff", "a,b"])(
  "the host `%s` is refused",
  async (host) => {
    const lines = compose(server(), `GET ${pathsOf(server()).skills} HTTP/1.1`);
    const answer = await sendRaw(server(), lines.replace("Host: parley.test", `Host: ${host}`));
    expectError(answer, "invalid_request_error", badHost);
  },
);

test.for(["localhost", "x:80", "[::1]:3000", "10.0.0.1", "a_b.example", "EXAMPLE"])(
  "the host `%s` is right, over REST and RPC",
  async (host) => {
    const rest = compose(server(), `GET ${pathsOf(server()).skills} HTTP/1.1`);
    const input = encodeURIComponent(JSON.stringify({ json: { wId: server().demo.workspaceId } }));
    const rpc = compose(server(), `GET /rpc/skills.list?input=${input} HTTP/1.1`);
    for (const lines of [rest, rpc]) {
      const answer = await sendRaw(server(), lines.replace("Host: parley.test", `Host: ${host}`));
      expect(answer.status).toBe(200);
    }
  },
);

/** What would be a header of its own if it were written to an answer, decoded or not. */
const injections = [
  "a%0d%0aSet-Cookie:%20x=1",
  "a%0D%0A%0D%0A<html>",
  "a\\r\\nSet-Cookie: x=1",
  "a\xe5\x98\x8d\xe5\x98\x8aSet-Cookie: x=1",
  "a\xc4\x8d\xc4\x8aSet-Cookie: x=1",
];

function expectNoInjection(answer: Answer): void {
  expect(answer.headers.get("set-cookie")).toBeNull();
  for (const [, value] of answer.headers) expect(value).not.toMatch(/[\r\n]/);
  expect(answer.text).not.toMatch(/<html>$/);
}

const readHeaders = ["X-Request-Id", "Prefer", "Idempotency-Key", "X-Forwarded-For", "Origin"];

test.for(readHeaders)("%s cannot add a header to the answer", async (name) => {
  for (const value of injections) {
    const answer = await get([`${name}: ${value}`]);
    expect(answer.status).toBe(200);
    expectNoInjection(answer);
    expect(answer.headers.get("x-request-id")).toMatch(/^[\w.-]+$/);
    // The same with real line breaks is a second header of the request, or not HTTP.
    const second = await get([`${name}: a\r\nSet-Cookie: x=1`]);
    expect(second.status).toBe(200);
    expectNoInjection(second);
  }
});

test("a credential cannot add a header to the answer", async () => {
  const lines = compose(server(), `GET ${pathsOf(server()).skills} HTTP/1.1`);
  for (const value of injections) {
    const answer = await sendRaw(
      server(),
      lines.replace(/Authorization: .*/, () => `Authorization: Bearer sk-${value}`),
    );
    expectError(answer, "malformed_authorization_header_error");
    expectNoInjection(answer);
  }
});

test("Last-Event-ID cannot add a header to the answer", async () => {
  const stream = pathsOf(server()).events("add", "sfi_x").replace("/api/", "/api/sse/");
  for (const value of injections) {
    const answer = await get([`Last-Event-ID: ${value}`], stream);
    expectError(answer, "invalid_request_error", { field: "lastEventId" });
    expectNoInjection(answer);
  }
});

test("a request id comes back as it was sent, unless it is more than an id", async () => {
  const id = "trace-1.a_B";
  expect((await get([`X-Request-Id: ${id}`])).headers.get("x-request-id")).toBe(id);
  for (const bad of ["", "a b", "x".repeat(129), "a,b", '"x"', "\xe9"]) {
    const answer = await get([`X-Request-Id: ${bad}`]);
    expect(answer.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
  }
  const twice = await get(["X-Request-Id: a", "X-Request-Id: b"]);
  expect(twice.headers.get("x-request-id")).toMatch(/^[\da-f-]{36}$/);
});
