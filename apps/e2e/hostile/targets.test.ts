import { type ErrorType, InvokedSandboxFunction } from "@parley/schema";
import { afterEach, expect, test } from "vitest";
import { expectError, jsonOf, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";
import { compose, connectTo, expectUntouched, sendRaw } from "./raw.ts";

// Paths that would like to be other paths, and targets that are not paths.

const server = shareServer();
afterEach(() => expectUntouched(server()));

const ask = (requestLine: string) => sendRaw(server(), compose(server(), requestLine));
const workspace = () => pathsOf(server()).workspace;

const traversals: { path: string; type: ErrorType }[] = [
  { path: "/../../etc/passwd", type: "not_found" },
  { path: "/..%2f..%2fetc%2fpasswd", type: "not_found" },
  { path: "/api/v1/w/../../livez", type: "not_found" },
  { path: "/api/v1/w/../skills", type: "workspace_auth_error" },
  { path: "/api/v1/w/%2e%2e/skills", type: "workspace_auth_error" },
  { path: "/api/v1/w/..%2f..%2f/skills", type: "workspace_auth_error" },
  { path: "/api/v1/w/./W/skills", type: "not_found" },
  { path: "/api/v1//w/W/skills", type: "not_found" },
  { path: "//api/v1/w/W/skills", type: "not_found" },
  { path: "/api/v1/w/W/spaces/..", type: "not_found" },
  { path: "/api/v1/w/W/spaces/.", type: "not_found" },
  { path: "/api/v1/w/W\\skills", type: "not_found" },
  { path: "/api/v1/w/W/assistant/conversations/..", type: "conversation_not_found" },
  { path: "/api/v1/w/W/assistant/conversations/..%2f..%2fskills", type: "conversation_not_found" },
  { path: "/api/v1/w/W/assistant/conversations/..\\..", type: "conversation_not_found" },
  {
    path: "/api/v1/w/W/assistant/conversations/a%0d%0aSet-Cookie:x",
    type: "conversation_not_found",
  },
  { path: "/api/v1/w/W/assistant/conversations/%00", type: "invalid_request_error" },
  { path: "/api/v1/w/W/assistant/conversations/%c0%ae%c0%ae", type: "invalid_request_error" },
  { path: "/api/v1/w/W/assistant/conversations/%", type: "invalid_request_error" },
];

test.for(traversals)("$path is $type", async ({ path, type }) => {
  const answer = await ask(`GET ${path.replace("W", server().demo.workspaceId)} HTTP/1.1`);
  expectError(answer, type);
  expect(answer.headers.get("set-cookie")).toBeNull();
});

test("a target in absolute form is its path", async () => {
  const { skills } = pathsOf(server());
  for (const host of ["http://parley.test", "https://elsewhere.test:8080", "HTTP://x@y"]) {
    expect((await ask(`GET ${host}${skills} HTTP/1.1`)).status).toBe(200);
  }
  expectError(await ask("GET http://parley.test/nothing HTTP/1.1"), "not_found");
  expectError(await ask(`GET ftp://parley.test${skills} HTTP/1.1`), "not_found");
});

test("a redirect never leads to another host", async () => {
  const invoke = { path: pathsOf(server()).invocations("add"), json: { input: { a: 1, b: 2 } } };
  const { parsed } = jsonOf(await send(server(), invoke), InvokedSandboxFunction, 201);
  const path = pathsOf(server()).events("add", parsed.invocation.sId);
  const redirected = path.replace("/api/", "/api/sse/");
  for (const host of ["", "http://elsewhere.test", "http://elsewhere.test/api/.."]) {
    const answer = await ask(`GET ${host}${path}?x=%0d%0aSet-Cookie:x HTTP/1.1`);
    if (answer.status === 404) continue;
    expect(answer.status).toBe(307);
    expect(answer.headers.get("location")).toBe(`${redirected}?x=%0d%0aSet-Cookie:x`);
    expect(answer.headers.get("set-cookie")).toBeNull();
  }
});

test("a fragment is not part of a path", async () => {
  expect((await ask(`GET ${pathsOf(server()).skills}#x HTTP/1.1`)).status).toBe(200);
});

const targets = [
  { requestLine: "OPTIONS * HTTP/1.1", type: "not_found" },
  { requestLine: "GET * HTTP/1.1", type: "not_found" },
  { requestLine: "GET livez HTTP/1.1", type: "invalid_request_error" },
  { requestLine: "GET  HTTP/1.1", type: "invalid_request_error" },
  { requestLine: "GET /a b HTTP/1.1", type: "invalid_request_error" },
  { requestLine: "GET /\xff HTTP/1.1", type: "invalid_request_error" },
  { requestLine: "CONNECT parley.test:443 HTTP/1.1", type: "not_found" },
  { requestLine: "TRACE /livez HTTP/1.1", type: "method_not_supported_error" },
  { requestLine: "PROPFIND /livez HTTP/1.1", type: "method_not_supported_error" },
  { requestLine: "get /livez HTTP/1.1", type: "invalid_request_error" },
] as const;

test.for(targets)("`$requestLine` is $type", async ({ requestLine, type }) => {
  expectError(await ask(requestLine), type);
});

test("a connection that wants to become another protocol stays what it is", async () => {
  const headers = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
  const request = compose(server(), "GET /livez HTTP/1.1", { headers });
  expect((await sendRaw(server(), request)).status).toBe(200);
});

test("a query of 12 KiB is read, and one of 16 KiB is too much", async () => {
  const query = (size: number) => `${workspace()}/skills?x=${"x".repeat(size)}`;
  expect((await ask(`GET ${query(12 * 1024)} HTTP/1.1`)).status).toBe(200);
  using connection = await connectTo(server());
  connection.write(compose(server(), `GET ${query(16 * 1024)} HTTP/1.1`));
  const message = "Request line and headers must be less than 16 KiB together";
  expectError(await connection.answer(), "invalid_request_error", { message });
  expect(await connection.closed()).toBe("");
});

const manyQueries = [
  { name: "2,000 names", query: Array.from({ length: 2000 }, (_, at) => `a${at}=`).join("&") },
  { name: "4,000 separators", query: "&".repeat(4000) },
  { name: "nested names", query: "a[b][c][d][e]=1&__proto__[x]=1&constructor[prototype][x]=1" },
];

test.for(manyQueries)("a query of $name changes nothing", async ({ query }) => {
  expect((await ask(`GET ${workspace()}/skills?${query} HTTP/1.1`)).status).toBe(200);
});

test("1,000 values of one name are as many as are refused", async () => {
  const query = Array.from({ length: 700 }, () => "availability=x").join("&");
  const answer = await ask(`GET ${workspace()}/skills?${query} HTTP/1.1`);
  expectError(answer, "invalid_request_error", { message: "Invalid query parameters: " });
  const { error } = JSON.parse(answer.text) as { error: { issues: unknown[] } };
  expect(error.issues.length).toBeLessThanOrEqual(20);
});
