import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpConnections } from "./connections.ts";
import type { McpConnections, McpServer } from "./contract.ts";
import { type RealServer, startPublished } from "../testing/real-servers.ts";

let published: Awaited<ReturnType<typeof startPublished>>;
let folder: string;
let servers: typeof published.servers;
let connections: McpConnections;

beforeAll(async () => {
  published = await startPublished();
  ({ folder, servers } = published);
  const allowedHosts = Object.values(servers).map(({ host }) => host);
  connections = createMcpConnections({ allowedHosts, name: "parley", version: "1.0.0" });
});

afterAll(async () => {
  await connections.close();
  await published.close();
});

const at = ({ url }: RealServer): McpServer => ({ url, headers: {} });
const limits = () => ({
  timeoutMs: 20_000,
  maxBytes: 1_000_000,
  signal: new AbortController().signal,
});
const call = (server: RealServer, name: string, args: Record<string, unknown>, more: object = {}) =>
  connections.callTool(at(server), { name, arguments: args }, { ...limits(), ...more });

describe("real servers", () => {
  it("lists the tools of each", async () => {
    const [everything, files, memory] = await Promise.all(
      Object.values(servers).map((server) => connections.listTools(at(server), limits())),
    );
    expect(everything).toMatchObject({
      type: "listed",
      server: { title: "Everything Reference Server" },
      tools: expect.arrayContaining([
        expect.objectContaining({
          name: "echo",
          inputSchema: expect.objectContaining({ type: "object" }) as object,
        }),
      ]) as object[],
    });
    const names = (listed: typeof files) =>
      listed?.type === "listed" ? listed.tools.map(({ name }) => name) : [];
    expect(names(files)).toEqual(expect.arrayContaining(["read_text_file", "list_directory"]));
    expect(names(memory)).toEqual(expect.arrayContaining(["create_entities", "read_graph"]));
    expect(files).toMatchObject({
      tools: expect.arrayContaining([
        expect.objectContaining({
          annotations: expect.objectContaining({ readOnlyHint: true }) as object,
        }),
      ]) as object[],
    });
  });

  it("says which tools run as tasks only", async () => {
    const listed = await connections.listTools(at(servers.everything), limits());
    const tools = listed.type === "listed" ? listed.tools : [];
    expect(tools.filter(({ requiresTask }) => requiresTask).map(({ name }) => name)).toEqual([
      "simulate-research-query",
    ]);
  });

  it("calls tools, and gives each kind of content", async () => {
    const { everything, files, memory } = servers;
    expect(await call(everything, "echo", { message: "Grüße 👋" })).toEqual({
      type: "result",
      content: [{ type: "text", text: "Echo: Grüße 👋" }],
      isError: false,
      toolsChanged: false,
    });
    expect(await call(everything, "get-tiny-image", {})).toMatchObject({
      content: [{ type: "text" }, { type: "image", mimeType: "image/png" }, { type: "text" }],
    });
    expect(await call(everything, "get-structured-content", { location: "Chicago" })).toMatchObject(
      { structuredContent: { conditions: expect.any(String) as string } },
    );
    expect(await call(everything, "get-resource-links", { count: 2 })).toMatchObject({
      content: expect.arrayContaining([
        expect.objectContaining({ type: "resource_link" }),
      ]) as object[],
    });
    const file = path.join(folder, "hello.txt");
    expect(await call(files, "read_text_file", { path: file })).toMatchObject({
      content: [{ type: "text", text: "Hello from a file" }],
    });
    expect(await call(memory, "read_graph", {})).toMatchObject({ type: "result", isError: false });
  });

  it("gives errors of tools as results, and of the protocol as failures", async () => {
    const { everything, files } = servers;
    expect(await call(files, "read_text_file", { path: "/etc/passwd" })).toMatchObject({
      type: "result",
      isError: true,
    });
    const unknown = await call(everything, "no-such-tool", {});
    expect(["failed", "result"]).toContain(unknown.type);
    expect(unknown).toMatchObject(
      unknown.type === "failed" ? { code: "rejected" } : { isError: true },
    );
  });

  it("passes progress on, and cancels a call that runs", async () => {
    const { everything } = servers;
    const progress: unknown[] = [];
    const args = { duration: 0.4, steps: 4 };
    const result = await call(everything, "trigger-long-running-operation", args, {
      onProgress: (one: unknown) => progress.push(one),
    });
    expect(result).toMatchObject({ type: "result", isError: false });
    expect(progress).toMatchObject([1, 2, 3, 4].map((step) => ({ progress: step, total: 4 })));

    const cancelling = new AbortController();
    const running = call(
      everything,
      "trigger-long-running-operation",
      { duration: 60, steps: 600 },
      { signal: cancelling.signal, onProgress: () => cancelling.abort() },
    );
    expect(await running).toMatchObject({ type: "failed", code: "cancelled", sent: true });
  });

  it("fails on a server that has stopped, without a call", async () => {
    const { memory } = servers;
    await memory[Symbol.asyncDispose]();
    expect(await call(memory, "read_graph", {})).toMatchObject({
      code: "unreachable",
      sent: false,
    });
  });
});
