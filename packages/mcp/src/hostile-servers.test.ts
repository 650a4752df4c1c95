import { describe, expect, it } from "vitest";
import { createMcpConnections } from "./connections.ts";
import type { ListedTools, ToolResult } from "./contract.ts";
import type { McpFailure } from "./failure-contract.ts";
import { type FaultName, faults, startHostileServer } from "../testing/index.ts";

const MAX_BYTES = 2_000_000;
/** For faults that are noticed, on a machine that others use too. */
const AMPLE_MS = 5000;
/** For faults that only time ends. */
const SHORT_MS = 250;
/** What the system holds of a connection beyond what was read. */
const BUFFERED_BYTES = 16_000_000;

const secret = "a-secret-of-nobody";

async function provoke(name: FaultName, expected: Expected) {
  await using hostile = await startHostileServer(name);
  const connections = createMcpConnections({
    allowedHosts: [hostile.host],
    name: "parley",
    version: "1.0.0",
  });
  const server = { url: hostile.url, headers: { authorization: `Bearer ${secret}` } };
  const timeoutMs = expected === "timed_out" ? SHORT_MS : AMPLE_MS;
  const options = { timeoutMs, maxBytes: MAX_BYTES, signal: new AbortController().signal };
  const startedAt = performance.now();
  const memory = process.memoryUsage().rss;
  const timed = async <T>(promise: Promise<T>): Promise<T> => {
    const answer = await promise;
    expect(performance.now() - startedAt).toBeLessThan(timeoutMs + 2000);
    return answer;
  };
  const listed = await timed(connections.listTools(server, options));
  const progress: number[] = [];
  const onProgress = (one: { progress: number }) => void progress.push(one.progress);
  const call = { name: "echo", arguments: {} };
  const called = await timed(connections.callTool(server, call, { ...options, onProgress }));
  await connections.close();
  expect(hostile.calls).toBeLessThanOrEqual(1);
  expect(hostile.bytesWritten).toBeLessThan(2 * (MAX_BYTES + BUFFERED_BYTES));
  expect(process.memoryUsage().rss - memory).toBeLessThan(200_000_000);
  const said = JSON.stringify([listed, called]);
  expect(said).not.toContain(secret);
  expect(said).not.toMatch(/\\u0000|\\ud800/);
  expect(said.length).toBeLessThan(300_000);
  return { listed, called, hostile, progress, connections, server, options };
}

type Expected = McpFailure["code"];
const failure = (answer: ListedTools | ToolResult | McpFailure) =>
  answer.type === "failed" ? [answer.code, answer.sent] : [answer.type];

/** What a listing gives, and a call: its failure, and whether the call may have run. */
const table: [FaultName, Expected | "listed", Expected | "result", boolean?][] = [
  ["refused connections", "unreachable", "unreachable", false],
  ["no handshake", "timed_out", "timed_out", false],
  ["accepts and says nothing", "timed_out", "timed_out", false],
  ["closes at once", "unreachable", "unreachable", false],
  ["does not speak HTTP", "bad_answer", "bad_answer", false],
  ["headers without end", "too_large", "too_large", false],
  ["early hints without end", "too_large", "too_large", false],
  ["chunks without end", "too_large", "too_large", true],
  ["says nothing to work", "timed_out", "timed_out", true],
  ["headers and then nothing", "timed_out", "timed_out", true],
  ["slow drip", "timed_out", "timed_out", true],
  ["endless pings", "too_large", "too_large", true],
  ["endless body", "too_large", "too_large", true],
  ["a line of 100 MB", "too_large", "too_large", true],
  ["gzip bomb", "too_large", "too_large", true],
  ["gzip bomb of events", "too_large", "too_large", true],
  ["unknown encoding", "bad_answer", "bad_answer", true],
  ["broken gzip", "bad_answer", "bad_answer", true],
  ["error of 100 MB", "too_large", "too_large", true],
  ["401 with a challenge", "unauthorized", "unauthorized", false],
  ["401 alone", "unauthorized", "unauthorized", false],
  ["403", "forbidden", "forbidden", false],
  ["404 in a session", "rejected", "rejected", false],
  ["421", "rejected", "rejected", false],
  ["429", "unreachable", "unreachable", false],
  ["500", "unreachable", "unreachable", true],
  ["500 to the greeting", "unreachable", "unreachable", false],
  ["502 and then fine", "unreachable", "result"],
  ["redirect inward", "refused_address", "refused_address", false],
  ["redirect to itself", "bad_answer", "bad_answer", false],
  ["redirect of the method", "bad_answer", "bad_answer", false],
  ["redirect to another origin", "refused_address", "refused_address", false],
  ["reset before the answer", "unreachable", "unreachable", true],
  ["reset in the answer", "unreachable", "unreachable", true],
  ["reset in the stream", "unreachable", "unreachable", true],
  ["wrong content type", "bad_answer", "bad_answer", true],
  ["no content type", "bad_answer", "bad_answer", true],
  ["html", "bad_answer", "bad_answer", true],
  ["accepted, and no answer", "bad_answer", "bad_answer", true],
  ["invalid JSON", "bad_answer", "bad_answer", true],
  ["invalid JSON in events", "bad_answer", "bad_answer", true],
  ["invalid UTF-8", "bad_answer", "bad_answer", true],
  ["invalid UTF-8 in events", "bad_answer", "bad_answer", true],
  ["not JSON-RPC", "bad_answer", "bad_answer", true],
  ["wrong id", "bad_answer", "bad_answer", true],
  ["no id", "bad_answer", "bad_answer", true],
  ["answers to another request", "bad_answer", "bad_answer", true],
  ["two answers", "bad_answer", "bad_answer", true],
  ["two answers in events", "bad_answer", "bad_answer", true],
  ["a stream that ends early", "unreachable", "unreachable", true],
  ["a stream that continues elsewhere", "listed", "result"],
  ["a stream that cannot be resumed", "unreachable", "unreachable", true],
  ["a stream that is resumed without end", "too_large", "too_large", true],
  ["an error that repeats the secret", "rejected", "rejected", true],
  ["an error of 100 kB", "rejected", "rejected", true],
  ["a header mismatch", "rejected", "rejected", true],
  ["deep JSON", "bad_answer", "bad_answer", true],
  ["a deep value", "bad_answer", "bad_answer", true],
  ["many values", "bad_answer", "bad_answer", true],
  ["an infinite number", "bad_answer", "bad_answer", true],
  ["names of prototypes", "listed", "result"],
  ["NUL and lone surrogates", "listed", "result"],
  ["10,000 tools", "bad_answer", "result"],
  ["a tool with a schema of 1 MB", "bad_answer", "result"],
  ["a schema that is no object", "bad_answer", "result"],
  ["tools that are no list", "bad_answer", "result"],
  ["names that are taken", "listed", "result"],
  ["names that are unusable", "listed", "result"],
  ["the same page without end", "bad_answer", "result"],
  ["new pages without end", "bad_answer", "result"],
  ["a result without content", "listed", "bad_answer", true],
  ["a part of an unknown type", "listed", "bad_answer", true],
  ["an error of the tool", "listed", "result"],
  ["asks for input", "listed", "rejected", true],
  ["asks for sampling", "listed", "result"],
  ["asks for elicitation", "listed", "result"],
  ["asks for roots", "listed", "result"],
  ["changes its tools", "listed", "result"],
  ["progress without pause", "listed", "result"],
];

describe("hostile servers cost their own call and nothing else", () => {
  it.each(table)("%s: a listing gives %s, a call %s", async (name, list, call, sent) => {
    const { listed, called } = await provoke(name, list as Expected);
    expect(failure(listed)).toEqual(list === "listed" ? ["listed"] : [list, false]);
    expect(failure(called)).toEqual(call === "result" ? ["result"] : [call, sent]);
  });
});

it("provokes every fault", () => {
  const elsewhere = ["silent greeting and then fine", "silence in a session", "moved"];
  const provoked = [...table.map(([name]) => name), ...elsewhere];
  expect(provoked.toSorted()).toEqual(Object.keys(faults).toSorted());
});
