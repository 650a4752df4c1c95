import { describe, expect, it } from "vitest";
import { createMcpConnections } from "./connections.ts";
import type { McpCall, McpServer } from "./contract.ts";
import { type FaultName, startHostileServer } from "../testing/index.ts";
import { startLoopback } from "@parley/guarded-fetch/testing";

const limits = { timeoutMs: 5000, maxBytes: 2_000_000 };
const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
const call: McpCall = { name: "echo", arguments: {}, traceparent };

/** A hostile server, and connections to it. */
async function open(name: FaultName) {
  const hostile = await startHostileServer(name);
  const connections = connect(hostile.host);
  const server: McpServer = { url: hostile.url, headers: { authorization: "Bearer a-secret" } };
  const options = { ...limits, signal: new AbortController().signal };
  return {
    hostile,
    connections,
    server,
    list: () => connections.listTools(server, options),
    call: (given: object = {}) => connections.callTool(server, call, { ...options, ...given }),
    [Symbol.asyncDispose]: async () => {
      await connections.close();
      await hostile[Symbol.asyncDispose]();
    },
  };
}

const connect = (...allowedHosts: string[]) =>
  createMcpConnections({ allowedHosts, name: "parley", version: "1.0.0" });

describe("connections to MCP servers", () => {
  it("say what a 401 and a 403 say of authorization", async () => {
    await using challenging = await open("401 with a challenge");
    expect(await challenging.call()).toMatchObject({
      code: "unauthorized",
      sent: false,
      authorization: {
        resourceMetadataUrl: "https://tools.example/.well-known/oauth-protected-resource",
        scope: "read",
      },
    });
    await using forbidding = await open("403");
    expect(await forbidding.list()).toMatchObject({
      code: "forbidden",
      authorization: { scope: "write" },
    });
    await using bare = await open("401 alone");
    expect(await bare.list()).not.toHaveProperty("authorization");
  });

  it.each(["500 to the greeting", "502 and then fine", "silent greeting and then fine"] as const)(
    "never take a server for an old one after: %s",
    async (name) => {
      await using peer = await open(name);
      const isSilent = name.startsWith("silent");
      expect(await peer.call(isSilent ? { timeoutMs: 200 } : {})).toMatchObject({
        code: isSilent ? "timed_out" : "unreachable",
        sent: false,
      });
      await peer.call();
      const methods = peer.hostile.requests.map(({ method }) => method);
      expect(methods).not.toContain("initialize");
      expect(methods.filter((method) => method === "server/discover")).toHaveLength(2);
    },
  );

  it("tell a server which span a call is of", async () => {
    await using peer = await open("an error of the tool");
    await peer.call();
    const sent = peer.hostile.requests.find(({ method }) => method === "tools/call");
    expect(sent?.params).toMatchObject({ name: "echo", _meta: { traceparent } });
  });

  it("negotiate once for many calls, and again for a listing", async () => {
    await using peer = await open("an error of the tool");
    await peer.call();
    await peer.call();
    await peer.list();
    const methods = peer.hostile.requests.map(({ method }) => method);
    expect(methods).toEqual([
      "server/discover",
      "tools/call",
      "tools/call",
      "server/discover",
      "tools/list",
    ]);
    // What another credential may reach is negotiated for itself.
    const other = { ...peer.server, headers: { authorization: "Bearer another" } };
    const options = { ...limits, signal: new AbortController().signal };
    await peer.connections.callTool(other, call, options);
    expect(peer.hostile.requests.at(-2)?.method).toBe("server/discover");
  });

  it("end the sessions of older servers", async () => {
    await using peer = await open("changes its tools");
    expect(await peer.call()).toMatchObject({ type: "result", toolsChanged: true });
    await peer.connections.close();
    expect(peer.hostile.requests.at(-1)).toMatchObject({
      method: "DELETE",
      headers: { "mcp-session-id": "a-session" },
    });
  });

  it.each(["asks for sampling", "asks for elicitation", "asks for roots"] as const)(
    "decline what a server asks: %s",
    async (name) => {
      await using peer = await open(name);
      expect(await peer.call()).toMatchObject({ content: [{ text: "declined with -32601" }] });
    },
  );

  it("make schemas and results storable", async () => {
    await using nul = await open("NUL and lone surrogates");
    const stored = { type: "object", a: "b\ufffd" };
    expect(await nul.list()).toMatchObject({ tools: [{ inputSchema: stored }] });
    expect(await nul.call()).toMatchObject({ structuredContent: stored });
    await using prototypes = await open("names of prototypes");
    const result = await prototypes.call();
    expect(result).toMatchObject({ structuredContent: { type: "object", x: {} } });
    expect(JSON.stringify(result)).not.toMatch(/__proto__|constructor/);
  });

  it("leave out tools that cannot be called by their names, and count them", async () => {
    await using unusable = await open("names that are unusable");
    expect(await unusable.list()).toMatchObject({ tools: [{ name: "echo" }], leftOut: 4 });
    await using taken = await open("names that are taken");
    expect(await taken.list()).toMatchObject({ tools: [{ description: "Echoes" }], leftOut: 1 });
  });

  it.each([
    ["10,000 tools", "more than 256 tools"],
    ["a tool with a schema of 1 MB", "more than 256 KiB of tools"],
    ["new pages without end", "more than 64 pages"],
    ["a deep value", "64 levels"],
    ["html", "text/html"],
    ["an error that repeats the secret", "bad token: [hidden]"],
  ] as const)("name the bound or the fault: %s", async (name, text) => {
    await using peer = await open(name);
    expect(await peer.list()).toMatchObject({ message: expect.stringContaining(text) as string });
  });

  it("pass progress on, but not without pause", async () => {
    await using peer = await open("progress without pause");
    const progress: number[] = [];
    await peer.call({ onProgress: (one: { progress: number }) => progress.push(one.progress) });
    expect(progress.slice(0, 50)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    expect(progress.length).toBeLessThan(200);
  });

  it("cancel a call that runs, and refuse one that was cancelled before", async () => {
    await using peer = await open("says nothing to work");
    const cancelling = new AbortController();
    const answer = peer.call({ signal: cancelling.signal });
    await expect.poll(() => peer.hostile.calls).toBe(1);
    cancelling.abort();
    expect(await answer).toMatchObject({ code: "cancelled", sent: true });
    expect(await peer.call({ signal: AbortSignal.abort() })).toMatchObject({
      code: "cancelled",
      sent: false,
    });
    const running = peer.call();
    await expect.poll(() => peer.hostile.calls).toBe(2);
    await peer.connections.close();
    expect(await running).toMatchObject({ code: "cancelled" });
    expect(await peer.call()).toMatchObject({ code: "cancelled", sent: false });
  });

  it("tell older servers what is cancelled", async () => {
    await using peer = await open("silence in a session");
    const cancelling = new AbortController();
    const answer = peer.call({ signal: cancelling.signal });
    await expect.poll(() => peer.hostile.calls).toBe(1);
    cancelling.abort();
    await answer;
    await peer.connections.close();
    const methods = peer.hostile.requests.map(({ method }) => method);
    expect(methods).toContain("notifications/cancelled");
  });

  it("send nothing to where a server redirects, but find it in its own origin", async () => {
    let received = 0;
    await using other = await startLoopback((_request, response) => {
      received += 1;
      response.end();
    });
    await using redirecting = await startLoopback((_request, response) => {
      response.writeHead(307, { location: `${other.origin}/mcp` }).end();
    });
    const options = { ...limits, signal: new AbortController().signal };
    const connections = connect(other.host, redirecting.host);
    const server = { url: `${redirecting.origin}/mcp`, headers: { authorization: "Bearer x" } };
    expect(await connections.listTools(server, options)).toMatchObject({ code: "bad_answer" });
    expect(await connections.callTool(server, call, options)).toMatchObject({ sent: false });
    expect(received).toBe(0);
    await connections.close();

    await using peer = await open("moved");
    expect(await peer.call()).toMatchObject({ type: "result" });
    expect(await peer.call()).toMatchObject({ type: "result" });
  });

  it.each([
    ["http://10.0.0.1/mcp", {}, "refused_address"],
    ["https://user:secret@tools.example/mcp", {}, "refused_address"],
    ["nonsense", {}, "refused_address"],
    ["https://8.8.8.8/mcp", { "x-key": "two\nlines" }, "rejected"],
  ])("refuse %s", async (url, headers, code) => {
    const options = { ...limits, signal: new AbortController().signal };
    const answer = await connect().callTool({ url, headers }, call, options);
    expect(answer).toMatchObject({ type: "failed", code, sent: false });
    expect(JSON.stringify(answer)).not.toMatch(/secret|lines/);
  });
});
