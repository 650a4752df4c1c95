import http from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { expectError, minimal, pathsOf, send } from "../request.ts";
import { shareServer } from "../server.ts";

// The interface: rows of the error table that exist today.

const server = shareServer();
const conversations = () => pathsOf(server()).conversations;
const json = { "content-type": "application/json" };
const plain = { "content-type": "text/plain" };

const unknownRoutes = [
  { method: "GET", path: "/nothing" },
  { method: "GET", path: "/assets/nothing.js", headers: { accept: "text/html" } },
  { method: "GET", path: "/api/v1/w" },
  { method: "GET", path: "/api/v1/w/x/spaces/" },
  { method: "GET", path: "/API/v1/w/x/skills" },
  { method: "DELETE", path: "/nothing/here" },
  { method: "OPTIONS", path: "/nothing/here" },
  { method: "POST", path: "/nothing/here", body: "{malformed", headers: json },
  { method: "POST", path: "/nothing/here", body: "text", headers: plain },
  { method: "POST", path: "/nothing/here", body: "x".repeat(9 * 1024 * 1024), headers: json },
];

test.for(unknownRoutes)("$method $path is not a route", async (request) => {
  for (const key of [null, undefined]) {
    const { body, ...rest } = request;
    const asked = { ...rest, ...(key === null && { key }), ...(body !== undefined && { body }) };
    expectError(await send(server(), asked), "not_found");
  }
});

const wrongMethods = [
  { allowed: "POST", path: "assistant/conversations", methods: ["PUT", "DELETE", "OPTIONS"] },
  { allowed: "GET", path: "skills", methods: ["PUT", "PATCH", "DELETE"] },
  { allowed: "GET", path: "spaces", methods: ["POST", "PATCH", "DELETE"] },
];

test.for(wrongMethods)("only $allowed is right for $path", async ({ allowed, path, methods }) => {
  for (const method of methods) {
    const body = method === "OPTIONS" ? {} : { body: "{malformed", headers: json };
    const answer = await send(server(), {
      method,
      path: `/api/v1/w/x/${path}`,
      key: null,
      ...body,
    });
    expectError(answer, "method_not_supported_error");
    expect(answer.headers.get("allow")?.split(", ")).toContain(allowed);
  }
});

test("only GET is right for streams and for health", async () => {
  const stream = pathsOf(server()).events("add", "sfi_x");
  for (const path of [stream, stream.replace("/api/", "/api/sse/"), "/livez", "/readyz"]) {
    const answer = await send(server(), { method: "POST", path, json: {} });
    expectError(answer, "method_not_supported_error");
    expect(answer.headers.get("allow")?.split(", ")).toContain("GET");
  }
});

test("a credential is needed", async () => {
  const answer = await send(server(), { path: conversations(), key: null, json: minimal });
  expectError(answer, "not_authenticated");
  expect(answer.headers.get("www-authenticate")).toBe("Bearer");
});

test.for(["Basic c2stYTpi", "Bearer", "Bearer not-a-key", "Bearer sk-", "sk-abc", "Bearer sk-a b"])(
  "`%s` is not a well-formed credential",
  async (authorization) => {
    const request = { path: pathsOf(server()).skills, key: null, headers: { authorization } };
    expectError(await send(server(), request), "malformed_authorization_header_error");
  },
);

test("an unknown key is refused, and the word Bearer may have any case", async () => {
  const path = pathsOf(server()).skills;
  expectError(await send(server(), { path, key: "sk-unknown" }), "invalid_api_key_error");
  for (const word of ["bearer", "BEARER"]) {
    const headers = { authorization: `${word} ${server().demo.adminKey}` };
    expect((await send(server(), { path, key: null, headers })).status).toBe(200);
  }
});

test("the RPC of operators is not for keys of workspaces, nor the API for operators", async () => {
  const { operatorKey } = server().demo;
  const answer = await send(server(), { path: pathsOf(server()).skills, key: operatorKey });
  expectError(answer, "workspace_auth_error");
});

test("an unknown workspace and a foreign one give the same bytes", async () => {
  const headers = { authorization: `Bearer ${server().demo.operatorKey}`, ...json };
  const input = { "0": { json: { name: "Foreign" } } };
  const created = await fetch(`${server().url}/rpc/workspaces.create?batch=1`, {
    method: "POST",
    headers,
    body: JSON.stringify(input),
  });
  const foreign = /"sId":"(\w{10})"/.exec(await created.text())?.[1] ?? "";
  expect(foreign).not.toBe("");
  const tails = [
    { tail: "skills", base: "/api/v1/w" },
    { tail: "assistant/conversations", base: "/api/v1/w", json: minimal },
    { tail: "sandbox-functions/add/invocations", base: "/api/w", json: {} },
    { tail: "sandbox-functions/add/invocations/sfi_x/events", base: "/api/w" },
    { tail: "sandbox-functions/add/invocations/sfi_x/events", base: "/api/sse/w" },
  ];
  for (const { base, tail, ...body } of tails) {
    const requests = [foreign, "AAAAAAAAAA", "x%00y", "__proto__"].map((wId) => ({
      path: `${base}/${wId}/${tail}`,
      headers: { "x-request-id": "same" },
      ...body,
    }));
    const answers = await Promise.all(requests.map((request) => send(server(), request)));
    for (const answer of answers) {
      expectError(answer, "workspace_auth_error");
      expect(answer.text).toBe(answers[0]?.text);
      const headersOf = (headersSent: Headers) =>
        [...headersSent].filter(([name]) => name !== "date" && !name.startsWith("ratelimit"));
      expect(headersOf(answer.headers)).toEqual(headersOf(answers[0]?.headers ?? new Headers()));
    }
  }
});

test("a body over 8 MiB is too large, whether or not it says its length", async () => {
  const request = { path: conversations(), headers: json };
  const large = `{"pad":"${"x".repeat(8 * 1024 * 1024)}"}`;
  // Again and again, because a server that hangs up early is a race that clients lose now and then.
  for (let attempt = 0; attempt < 10; attempt++) {
    expectError(await send(server(), { ...request, body: large }), "content_too_large");
  }
  const { status, text } = await postInChunks(server().url + conversations(), large);
  expect(status).toBe(413);
  expect(text).toContain('"type":"content_too_large"');
  const fits = `{"pad":"${"x".repeat(8 * 1024 * 1024 - 10)}"}`;
  const answer = await send(server(), { ...request, body: fits });
  expectError(answer, "invalid_request_error", { message: "Invalid request body: message" });
});

function postInChunks(url: string, body: string): Promise<{ status: number; text: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const headers = { authorization: `Bearer ${server().demo.adminKey}`, ...json };
  const request = http.request(url, { method: "POST", headers }, (response) => {
    let text = "";
    response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
  });
  request.on("error", reject);
  for (let start = 0; start < body.length; start += 1024 * 1024) {
    request.write(body.slice(start, start + 1024 * 1024));
  }
  request.end();
  return promise;
}

const badBodies = [
  { name: "malformed JSON", body: '{"message":' },
  { name: "no JSON at all", body: "" },
  { name: "trailing text", body: '{"message":{"content":"x","mentions":[]}} x' },
  { name: "invalid UTF-8", body: Buffer.from('{"a":"\xFF\xFE"}', "latin1") },
  { name: "an array", body: "[]" },
  { name: "null", body: "null" },
  { name: "a string", body: '"x"' },
];

test.for(badBodies)("$name is not a body", async ({ body }) => {
  const answer = await send(server(), {
    method: "POST",
    path: conversations(),
    headers: json,
    body,
  });
  expectError(answer, "invalid_request_error", { message: "Invalid request body: " });
});

const wrongTypes = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/jsonx",
  "application/json-patch+json",
  "text/plain; application/json",
  "application",
];

test.for(wrongTypes)("the content type `%s` is refused", async (type) => {
  const request = { path: conversations(), headers: { "content-type": type } };
  const answer = await send(server(), { ...request, body: JSON.stringify(minimal) });
  expectError(answer, "invalid_request_error", { message: "Invalid request body: " });
});

const rightTypes = [
  "application/json",
  "Application/JSON",
  "application/json; charset=utf-8",
  "application/json;charset=UTF-8",
];

test.for(rightTypes)("the content type `%s` is JSON", async (type) => {
  const request = { path: conversations(), headers: { "content-type": type } };
  const answer = await send(server(), { ...request, body: JSON.stringify(minimal) });
  expect(answer.status).toBe(200);
});

test("a body without a content type is refused", async () => {
  const answer = await send(server(), { path: conversations(), body: JSON.stringify(minimal) });
  expectError(answer, "invalid_request_error", { message: "Invalid request body: " });
});

test("a GET may say that it has a content type", async () => {
  const answer = await send(server(), { path: pathsOf(server()).skills, headers: json });
  expect(answer.status).toBe(200);
});

const schemaErrors = [
  { body: {}, field: "message" },
  { body: { message: { content: "x" } }, field: "message.mentions" },
  { body: { message: { content: "", mentions: [] } }, field: "message.content" },
  { body: { message: { content: 1, mentions: [] } }, field: "message.content" },
  {
    body: { message: { content: "x", mentions: [{}] } },
    field: "message.mentions[0].configurationId",
  },
  {
    body: {
      message: { content: "x", mentions: [], context: { username: "u", timezone: "UTC+1" } },
    },
    field: "message.context.timezone",
  },
  {
    body: { message: { content: "x", mentions: [], context: { timezone: "UTC" } } },
    field: "message.context.username",
  },
  { body: { ...minimal, blocking: "yes" }, field: "blocking" },
  { body: { ...minimal, contentFragments: [{ title: "t" }] }, field: "contentFragments[0]" },
  { body: { ...minimal, contentFragments: {} }, field: "contentFragments" },
  {
    body: { message: { ...minimal.message, modelSelection: { providerId: "x" } } },
    field: "message.modelSelection.modelId",
  },
];

test.for(schemaErrors)("a body that breaks the schema names $field", async ({ body, field }) => {
  const answer = await send(server(), { path: conversations(), json: body });
  expectError(answer, "invalid_request_error", { message: "Invalid request body: ", field });
});

const badQueries = [
  { query: "status=gone", field: "status" },
  { query: "status=Active", field: "status" },
  { query: "status=active&status=archived", field: "status" },
  { query: "availability=everybody", field: "availability[0]" },
  { query: "availability=editors&availability=none", field: "availability[1]" },
];

test.for(badQueries)("the query `$query` names $field", async ({ query, field }) => {
  const answer = await send(server(), { path: `${pathsOf(server()).skills}?${query}` });
  expectError(answer, "invalid_request_error", { message: "Invalid query parameters: ", field });
});

const badPaths = [
  { segment: "a%00b", field: /^Invalid path parameters: functionId/ },
  { segment: "a".repeat(256), field: /^Invalid path parameters: functionId/ },
  { segment: "%ED%A0%80", field: /^Invalid path parameters: / },
  { segment: "%FF", field: /^Invalid path parameters: / },
  { segment: "%zz", field: /^Invalid path parameters: / },
];

test.for(badPaths)("the path segment `$segment` is malformed", async ({ segment, field }) => {
  const path = pathsOf(server()).invocations(segment);
  const answer = await send(server(), { path, json: {} });
  expectError(answer, "invalid_request_error", { message: field });
});

test.for(["nothing", "sfn_AAAAAAAAAA", "__proto__", "a%2Fb", "%C3%A9", "a".repeat(255)])(
  "the function %s is unknown, not malformed",
  async (segment) => {
    const { invocations, events } = pathsOf(server());
    const invoked = await send(server(), { path: invocations(segment), json: {} });
    expectError(invoked, "sandbox_function_not_found");
    const followed = await send(server(), { path: events("add", segment) });
    expectError(followed, "sandbox_function_invocation_not_found");
  },
);

test("what is not HTTP gets the envelope too", async () => {
  const { hostname, port } = new URL(server().url);
  const socket = connect(Number(port), hostname);
  socket.write("BREW /coffee HTCPCP/1.0\r\n\r\n");
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain("Content-Type: application/json");
  expect(text).toContain('{"error":{"type":"invalid_request_error"');
});
