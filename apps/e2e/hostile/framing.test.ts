import { afterEach, describe, expect, test } from "vitest";
import { expectError, minimal, pathsOf } from "../request.ts";
import { shareServer } from "../server.ts";
import { compose, connectTo, expectUntouched, sendRaw } from "./raw.ts";

// Where a request ends: whatever is said of it, each has one answer, and nothing is stored of a half.

const REQUEST_TIMEOUT_MS = 1000;
const server = shareServer({ PARLEY_REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS) });
afterEach(() => expectUntouched(server()));

const json = "Content-Type: application/json";
const chunked = "Transfer-Encoding: chunked";
const body = JSON.stringify(minimal);
const post = (headers: readonly string[], content = body) =>
  compose(server(), `POST ${pathsOf(server()).conversations} HTTP/1.1`, {
    headers: [json, ...headers],
    body: content,
  });
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

const ambiguous = [
  { name: "two lengths", headers: ["Content-Length: 5", "Content-Length: 6"] },
  { name: "the same length twice", headers: ["Content-Length: 5", "Content-Length: 5"] },
  { name: "a list of lengths", headers: ["Content-Length: 5, 6"] },
  { name: "a length and chunks", headers: ["Content-Length: 5", chunked] },
  { name: "chunks and a length", headers: [chunked, "Content-Length: 5"] },
  { name: "a negative length", headers: ["Content-Length: -1"] },
  { name: "a length with a sign", headers: ["Content-Length: +5"] },
  { name: "a hexadecimal length", headers: ["Content-Length: 0x5"] },
  { name: "a length past 2^64", headers: ["Content-Length: 99999999999999999999"] },
  { name: "chunks that are not last", headers: ["Transfer-Encoding: chunked, identity"] },
  { name: "an unknown encoding", headers: ["Transfer-Encoding: xchunked"] },
  { name: "an encoding in quotes", headers: ['Transfer-Encoding: "chunked"'] },
  { name: "a blank before the colon", headers: ["Transfer-Encoding : chunked"] },
  { name: "an encoding on a folded line", headers: ["Transfer-Encoding:\r\n chunked"] },
  { name: "an encoding behind a bare CR", headers: ["X: x\rTransfer-Encoding: chunked"] },
  { name: "an encoding behind a bare LF", headers: ["X: x\nTransfer-Encoding: chunked"] },
];

test.for(ambiguous)("$name is refused, and the connection ends", async ({ headers }) => {
  using connection = await connectTo(server());
  const smuggled = compose(server(), "GET /livez HTTP/1.1");
  connection.write(post(headers, `0\r\n\r\n${smuggled}`));
  expectError(await connection.answer(), "invalid_request_error");
  expect(await connection.closed()).toBe("");
});

const badChunks = [
  { name: "a size that is not a number", content: "xyz\r\n{}\r\n0\r\n\r\n" },
  { name: "a size past 2^64", content: "fffffffffffffffff\r\n{}\r\n0\r\n\r\n" },
  { name: "a negative size", content: "-2\r\n{}\r\n0\r\n\r\n" },
  { name: "a chunk longer than its size", content: "1\r\n{}\r\n0\r\n\r\n" },
  { name: "chunks that end in bare LF", content: "2\n{}\n0\n\n" },
  { name: "32 KiB of chunk extensions", content: `2;${"x".repeat(32_768)}\r\n{}\r\n0\r\n\r\n` },
];

test.for(badChunks)("$name is refused", async ({ content }) => {
  using connection = await connectTo(server());
  connection.write(post([chunked], content));
  expectError(await connection.answer(), "invalid_request_error");
  expect(await connection.closed()).toBe("");
});

test("a body that is longer than its length is two requests, and both are refused", async () => {
  using connection = await connectTo(server());
  connection.write(post(["Content-Length: 10"]));
  const first = await connection.answer();
  expectError(first, "invalid_request_error", { message: "Invalid request body: " });
  const second = await connection.answer();
  expectError(second, "invalid_request_error", { message: "The request is not well-formed HTTP" });
  expect(await connection.closed()).toBe("");
});

test("a body that ends before its length is refused", async () => {
  using connection = await connectTo(server());
  connection.write(post([`Content-Length: ${body.length + 1}`]));
  connection.socket.end();
  expectError(await connection.answer(), "invalid_request_error");
  expect(await connection.closed()).toBe("");
});

describe("within the time for a request", () => {
  const late = { message: "The request did not arrive in time" };
  const unfinished = [
    { name: "a body that is shorter than its length", send: () => post(["Content-Length: 9999"]) },
    { name: "chunks without an end", send: () => post([chunked], chunk(body)) },
    { name: "half a chunk", send: () => post([chunked], "ff\r\n{") },
    { name: "headers without an end", send: () => "GET /livez HTTP/1.1\r\nHost: x\r\n" },
    { name: "half a request line", send: () => "GET /liv" },
  ];

  test.for(unfinished)("$name is waited for, and then refused", async ({ send }) => {
    using connection = await connectTo(server());
    connection.write(send());
    expectError(await connection.answer(), "request_timeout", late);
    expect(await connection.closed()).toBe("");
  });

  test("trickling chunks does not give more time", async () => {
    using connection = await connectTo(server());
    connection.write(post([chunked], ""));
    const trickle = setInterval(() => connection.write(chunk(" ")), 20);
    try {
      expectError(await connection.answer(), "request_timeout", late);
    } finally {
      clearInterval(trickle);
    }
    expect(await connection.closed()).toBe("");
  });

  const endless = [
    { name: "a stranger's", key: "sk-nobody", type: "invalid_api_key_error" },
    { name: "anybody's", key: undefined, type: "content_too_large" },
  ] as const;

  test.for(endless)("$name chunks that never end are cut off", async ({ key, type }) => {
    using connection = await connectTo(server());
    const megabyte = chunk("x".repeat(1024 * 1024));
    const pour = (): void => {
      while (connection.socket.writable && connection.socket.write(megabyte));
    };
    connection.socket.on("drain", pour);
    connection.write(post([chunked], "").replace(server().demo.adminKey, (own) => key ?? own));
    pour();
    expectError(await connection.answer(), type);
    await connection.closed();
  });
});

test("a body in gzip is refused by name", async () => {
  for (const encoding of ["gzip", "deflate", "br", "gzip, gzip", "x"]) {
    const headers = [`Content-Encoding: ${encoding}`, `Content-Length: ${body.length}`];
    const answer = await sendRaw(server(), post(headers));
    const message = "Invalid request body: it must be sent without a Content-Encoding";
    expectError(answer, "invalid_request_error", { message });
  }
});

test("requests in a row are answered in a row", async () => {
  using connection = await connectTo(server());
  const paths = ["/livez", "/nothing", pathsOf(server()).skills, "/livez"];
  connection.write(paths.map((path) => compose(server(), `GET ${path} HTTP/1.1`)).join(""));
  const statuses = [];
  while (statuses.length < paths.length) statuses.push((await connection.answer()).status);
  expect(statuses).toEqual([200, 404, 200, 200]);
});

test("bytes after a request that are not HTTP do not cost its response", async () => {
  using connection = await connectTo(server());
  connection.write(
    `${compose(server(), `GET ${pathsOf(server()).skills} HTTP/1.1`)}NOT HTTP\r\n\r\n`,
  );
  expect((await connection.answer()).status).toBe(200);
  expectError(await connection.answer(), "invalid_request_error");
  expect(await connection.closed()).toBe("");
});

test("who expects a 100 gets it, and then the answer", async () => {
  using connection = await connectTo(server());
  connection.write(post(["Expect: 100-continue", "Content-Length: 2"], ""));
  expect((await connection.answer()).status).toBe(100);
  connection.write("{}");
  expectError(await connection.answer(), "invalid_request_error", { field: "message" });
});

test("any other expectation is let be", async () => {
  const answer = await sendRaw(server(), post(["Expect: a miracle", "Content-Length: 2"], "{}"));
  expectError(answer, "invalid_request_error", { field: "message" });
});

test("HTTP/1.0 is answered, and the connection ends", async () => {
  using connection = await connectTo(server());
  connection.write("GET /livez HTTP/1.0\r\n\r\n");
  expect((await connection.answer()).status).toBe(200);
  expect(await connection.closed()).toBe("");
});

test.for(["HTTP/0.9", "HTTP/1.2", "HTTP/2.0", "HTTP/3", "HTTP/11", "http/1.1", "ICY"])(
  "%s is refused",
  async (version) => {
    expectError(
      await sendRaw(server(), `GET /livez ${version}\r\nHost: x\r\n\r\n`),
      "invalid_request_error",
    );
  },
);

test("HTTP/2 without being asked is refused", async () => {
  const answer = await sendRaw(server(), "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
  expectError(answer, "invalid_request_error");
});
