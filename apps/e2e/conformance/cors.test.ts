import { InvokedSandboxFunction } from "@parley/schema";
import { expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { expectError, jsonOf, minimal, open, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";

// Pages of other origins, as browsers ask for them; and what a browser must not make of an answer.

const ours = "https://app.example.com";
const theirs = "https://elsewhere.example";
const server = shareServer({ PARLEY_CORS_ORIGINS: `${ours}, http://localhost:5173` });
const closed = shareServer();

const preflight = (path: string, origin: string, method = "POST") => ({
  method: "OPTIONS",
  path,
  key: null,
  headers: {
    origin,
    "access-control-request-method": method,
    "access-control-request-headers": "authorization,content-type",
  },
});
const permission = "access-control-allow-origin";

test("a preflight of a known origin needs no credential and gets permission", async () => {
  const { conversations, skills, events } = pathsOf(server());
  const stream = events("add", "sfi_x");
  const paths = [conversations, skills, stream, stream.replace("/api/", "/api/sse/"), "/rpc/x"];
  for (const origin of [ours, "http://localhost:5173"]) {
    for (const path of paths) {
      const { status, headers } = await send(server(), preflight(path, origin));
      expect(status).toBe(204);
      expect(headers.get(permission)).toBe(origin);
      expect(headers.get("access-control-allow-methods")?.split(", ").toSorted()).toEqual(
        ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"].toSorted(),
      );
      expect(headers.get("access-control-allow-headers")).toBe("authorization,content-type");
      expect(headers.get("access-control-allow-credentials")).toBeNull();
      expect(headers.get("vary")).toContain("Origin");
    }
  }
});

test.for([theirs, "null", "https://app.example.com.evil.example", "http://app.example.com", "*"])(
  "a preflight of %s gets none",
  async (origin) => {
    const answer = await send(server(), preflight(pathsOf(server()).skills, origin));
    expectError(answer, "method_not_supported_error");
    expect(answer.headers.get(permission)).toBeNull();
    expect(answer.headers.get("access-control-allow-methods")).toBeNull();
  },
);

test("any other OPTIONS is answered by the table of errors", async () => {
  const { skills } = pathsOf(server());
  for (const headers of [{}, { origin: ours }, { "access-control-request-method": "GET" }]) {
    const request = { method: "OPTIONS", key: null, headers };
    const known = await send(server(), { ...request, path: skills });
    expectError(known, "method_not_supported_error");
    expect(known.headers.get("allow")).toBe("GET, POST");
    expectError(await send(server(), { ...request, path: "/nothing" }), "not_found");
  }
});

test("answers and errors may be read by a known origin alone", async () => {
  const { conversations, skills } = pathsOf(server());
  const requests = [
    { path: skills, status: 200 },
    { path: skills, key: null, status: 401 },
    { path: conversations, json: {}, status: 400 },
    { path: conversations, json: minimal, status: 200 },
    { path: "/nothing", status: 404 },
    { path: "/rpc/nothing", status: 404 },
  ];
  for (const { status, ...request } of requests) {
    const known = await send(server(), { ...request, headers: { origin: ours } });
    expect([known.status, known.headers.get(permission)]).toEqual([status, ours]);
    const exposed = known.headers.get("access-control-expose-headers")?.split(", ");
    expect(exposed).toEqual(expect.arrayContaining(["RateLimit", "Retry-After", "X-Request-Id"]));
    const unknown = await send(server(), { ...request, headers: { origin: theirs } });
    expect([unknown.status, unknown.headers.get(permission)]).toEqual([status, null]);
  }
});

test("a stream may be followed by a known origin, through its redirect", async () => {
  const invoke = { path: pathsOf(server()).invocations("add"), json: { input: { a: 1, b: 2 } } };
  const { parsed } = jsonOf(await send(server(), invoke), InvokedSandboxFunction, 201);
  const path = pathsOf(server()).events("add", parsed.invocation.sId);
  const headers = { origin: ours, accept: "text/event-stream" };
  const redirect = await send(server(), { path, headers });
  expect([redirect.status, redirect.headers.get(permission)]).toEqual([307, ours]);
  const location = redirect.headers.get("location") ?? "";
  const stream = await open(server(), { path: location, headers });
  expect([stream.status, stream.headers.get(permission)]).toEqual([200, ours]);
  expect(stream.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
  expect(stream.headers.get("cache-control")).toBe("no-cache, no-transform");
  expect(stream.headers.get("x-content-type-options")).toBe("nosniff");
  expect(await Array.fromAsync(readFrames(stream))).toHaveLength(2);
});

test("without origins nothing is permitted", async () => {
  const { skills } = pathsOf(closed());
  expectError(await send(closed(), preflight(skills, ours)), "method_not_supported_error");
  const answer = await send(closed(), { path: skills, headers: { origin: ours } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get(permission)).toBeNull();
});

test("no answer can be taken for a page, or framed by one", async () => {
  const { skills, conversations } = pathsOf(closed());
  const requests = [
    { path: skills },
    { path: skills, key: null },
    { path: conversations, json: minimal },
    { path: "/nothing" },
    { path: "/livez", key: null },
    { path: "/rpc/nothing" },
  ];
  for (const request of requests) {
    const { headers } = await send(closed(), request);
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none';frame-ancestors 'none'",
    );
    expect(headers.get("x-powered-by")).toBeNull();
    expect(headers.get("server")).toBeNull();
  }
});
