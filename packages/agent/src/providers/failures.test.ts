import { APICallError } from "@ai-sdk/provider";
import { expect, it } from "vitest";
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
