import { expect, test } from "vitest";
import { parseAnswer } from "./http-connection.ts";

const whole = Buffer.from("HTTP/1.1 201 Created\r\nContent-Length: 2\r\nX-Other: 1\r\n\r\n{}");

test("an answer is read once it is whole, wherever it was cut", () => {
  for (let end = 0; end < whole.length; end++) {
    expect(parseAnswer(whole.subarray(0, end))).toBeUndefined();
  }
  expect(parseAnswer(whole)).toEqual({ status: 201, body: Buffer.from("{}") });
});

const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

test.each([
  ["data", "4\r\ndata\r\n0\r\n\r\n"],
  ["nothing", "0\r\n\r\n"],
])("an answer in chunks of %s is whole with the last chunk", (_, body) => {
  const bytes = Buffer.from(chunked + body);
  for (let end = 0; end < bytes.length; end++) {
    expect(parseAnswer(bytes.subarray(0, end))).toBeUndefined();
  }
  expect(parseAnswer(bytes)).toEqual({ status: 200, body: Buffer.from(body) });
});

test("a 304 is whole without a length", () => {
  const bare = Buffer.from('HTTP/1.1 304 Not Modified\r\nETag: W/"a"\r\n\r\n');
  expect(parseAnswer(bare)).toEqual({ status: 304, body: Buffer.alloc(0) });
});

test.each([
  ["no length", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n"],
  ["another protocol", "HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"],
  ["more than one answer", `${whole.toString()}HTTP`],
])("refuses %s", (_, text) => {
  expect(() => parseAnswer(Buffer.from(text))).toThrow(/answer/);
});
