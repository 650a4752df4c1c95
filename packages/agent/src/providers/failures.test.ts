import { APICallError } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { explainError } from "./failures.ts";

const secret = 'pa"ss\\word/+&1';

it.each([
  ["as it is", (one: string) => one],
  ["in JSON", (one: string) => JSON.stringify({ one })],
  ["in a URL", (one: string) => `https://a.example/?key=${encodeURIComponent(one)}`],
  ["in base64", (one: string) => Buffer.from(`user:${one}`).toString("base64")],
  ["where it is short", () => "pass", "pass"],
])("a service that repeats its credential %s is logged without it", (_how, echo, of = secret) => {
  const responseBody = `Refused: ${echo(of)}.`;
  const at = { url: "https://a.example", requestBodyValues: {}, statusCode: 400, responseBody };
  const { cause } = explainError(new APICallError({ message: "Bad Request", ...at }), of);
  expect(cause?.message).toMatch(/^400: Bad Request Refused: .*\[hidden\].*\.$/);
  for (const part of ["pa", "ss", "word", "cGE"]) expect(cause?.message).not.toContain(part);
});

describe("what a service said of a failure", () => {
  const at = { url: "https://a.example", requestBodyValues: { prompt: "Hi" }, statusCode: 400 };
  const refusal = (parts: Partial<ConstructorParameters<typeof APICallError>[0]>) =>
    new APICallError({ message: "Bad Request", ...at, ...parts });
  const { statusCode: _none, ...unanswered } = at;
  const saidOf = (error: unknown, key?: string, headers?: Record<string, string>) =>
    explainError(error, key, headers).providerError;

  it.each([
    [
      "its message",
      refusal({ message: "No such model", responseBody: "{}", data: {} }),
      "No such model",
    ],
    [
      "a body in a form of its own",
      refusal({ responseBody: '{"detail":"No GPU"}' }),
      '{"detail":"No GPU"}',
    ],
    ["an error within its answer", { message: "Overloaded", type: "busy" }, "Overloaded"],
    ["such an error without a message", { code: 7 }, '{"code":7}'],
    ["such a text", "Overloaded", "Overloaded"],
    ["what cannot be stored", "a\0b\ud800", "ab\ufffd"],
  ])("is %s", (_what, error, message) => {
    expect(saidOf(error)).toEqual({ message, requestId: null });
  });

  it.each([
    ["it said nothing", refusal({ responseBody: " " })],
    ["it could not be reached", new APICallError({ message: "connect 10.0.0.1", ...unanswered })],
    ["the AI SDK failed", new TypeError("fetch failed", { cause: new Error("10.0.0.1") })],
  ])("is nothing if %s", (_when, error) => {
    expect(saidOf(error)).toBeUndefined();
  });

  it.each([
    ["request-id", "req_011CS"],
    ["x-request-id", "0d4b-7f:1.2"],
  ])("has the id of the header %s", (name, requestId) => {
    const responseHeaders = { [name]: requestId };
    expect(saidOf(refusal({ responseBody: "No", responseHeaders }))).toMatchObject({ requestId });
    // An error within an answer has none of its own.
    expect(saidOf("No", undefined, responseHeaders)).toMatchObject({ requestId });
  });

  it("has no id that is none", () => {
    for (const requestId of ["", "a b", "x".repeat(129), "sk-proj-0123456789abcdef"]) {
      const responseHeaders = { "x-request-id": requestId };
      expect(saidOf(refusal({ responseBody: "No", responseHeaders }), requestId)).toEqual({
        message: "No",
        requestId: null,
      });
    }
  });

  it.each(['pa"ss\\word', 'a"b', "short"])("hides the credential %s, also in JSON", (key) => {
    const echo = `${key} ${JSON.stringify({ key })}`;
    const hidden = '[hidden] {"key":"[hidden]"}';
    expect(saidOf(refusal({ responseBody: echo }), key)?.message).toBe(hidden);
    expect(saidOf({ message: echo }, key)?.message).toBe(hidden);
    const split = `${key.slice(0, 2)}\0${key.slice(2)}`;
    expect(saidOf(refusal({ responseBody: split }), key)?.message).toBe("[hidden]");
  });

  it("is cut at a character, after credentials are hidden", () => {
    const key = "0123456789abcdef";
    for (const [text, kept] of [
      ["x".repeat(3000), "x".repeat(2048)],
      [`x${"€".repeat(1000)}`, `x${"€".repeat(682)}`],
      ["😀".repeat(1000), "😀".repeat(512)],
      [`${"x".repeat(2040)}${key}`, `${"x".repeat(2040)}[hidden]`],
    ] as const) {
      expect(saidOf(refusal({ responseBody: text }), key)?.message).toBe(kept);
    }
  });
});
