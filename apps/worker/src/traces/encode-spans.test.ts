import { spawnSync } from "node:child_process";
import type { Trace } from "@parley/schema";
import { expect, it } from "vitest";
import { loadEncoder, toEncodable } from "./encode-spans.ts";

const trace: Trace = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  parentSpanId: "00f067aa0ba902b7",
  runId: "run1",
  isCut: false,
  spans: [
    {
      id: "5b8aa5a2d2c872e8",
      parentId: null,
      kind: "answer",
      name: "Clerk",
      startedAt: 1_780_000_000_123,
      endedAt: 1_780_000_001_000,
      status: "errored",
      error: { code: "provider_error", message: "no" },
    },
  ],
};
const origin = { serviceName: "parley", version: "1.2.3", workspaceId: "w1" };
const spans = toEncodable([trace], { origin, naming: { isGenAi: false, sendsContent: true } });

const protoc = spawnSync("protoc", ["--version"]).status === 0;
const because = protoc ? "" : ": protoc is not installed";

it.skipIf(!protoc)(`is OTLP as protoc decodes it${because}`, async () => {
  const { encode } = await loadEncoder("protobuf");
  const decoded = spawnSync("protoc", ["--decode_raw"], { input: encode(spans), encoding: "utf8" });
  expect(decoded.status).toBe(0);
  const text = decoded.stdout.replaceAll(/\s+/g, " ");
  // ResourceSpans, its resource with an attribute, and a scope with a span.
  expect(text).toMatch(/^1 \{ 1 \{ 1 \{ 1: "service\.name" 2 \{ 1: "parley" \} \}/);
  expect(text).toContain('1: "parley.workspace.id" 2 { 1: "w1" }');
  expect(text).toContain('2 { 1 { 1: "parley" 2: "1.2.3" }');
  expect(text).toContain('1: "K\\371/5w\\263M\\246\\243\\316\\222\\235\\016\\016G6"');
  expect(text).toContain('5: "answer Clerk"');
  // Times are fixed64 in nanoseconds; an error has its words and the code 2.
  const hex = (ms: bigint) => `0x${(ms * 1_000_000n).toString(16).padStart(16, "0")}`;
  expect(text).toContain(`7: ${hex(1_780_000_000_123n)}`);
  expect(text).toContain(`8: ${hex(1_780_000_001_000n)}`);
  expect(text).toContain('15 { 2: "no" 3: 2 }');
});

it("is OTLP in JSON, with ids in hexadecimal digits", async () => {
  const { encode } = await loadEncoder("json");
  const { resourceSpans } = JSON.parse(Buffer.from(encode(spans)).toString());
  expect(resourceSpans).toHaveLength(1);
  expect(resourceSpans[0].scopeSpans[0].spans[0]).toMatchObject({
    traceId: trace.traceId,
    spanId: "5b8aa5a2d2c872e8",
    parentSpanId: trace.parentSpanId,
    startTimeUnixNano: "1780000000123000000",
    endTimeUnixNano: "1780000001000000000",
    status: { code: 2, message: "no" },
  });
});

it.each([
  ["", { spans: 0, message: "" }],
  ["{}", { spans: 0, message: "" }],
  ['{"partialSuccess":{"rejectedSpans":"3","errorMessage":"old"}}', { spans: 3, message: "old" }],
  ["<html>", { spans: 0, message: "" }],
])("reads what was refused of an answer: %s", async (body, refused) => {
  const { readRefused } = await loadEncoder("json");
  expect(readRefused(Buffer.from(body))).toEqual(refused);
});

it("reads what was refused of an answer in protobuf", async () => {
  const { readRefused } = await loadEncoder("protobuf");
  const answer = [0x0a, 0x07, 0x08, 0x03, 0x12, 0x03, ...Buffer.from("old")];
  expect(readRefused(Uint8Array.from(answer))).toEqual({ spans: 3, message: "old" });
  expect(readRefused(Uint8Array.from([0xff, 0xff]))).toEqual({ spans: 0, message: "" });
});
