import { CreatedConversation } from "@parley/schema";
import { createParley } from "parley-client";
import { beforeAll, describe, expect, it } from "vitest";
import { expectError, jsonOf, open, pathsOf, send } from "../request.ts";
import { eventually, shareServer } from "../server.ts";
import { answersOf, createCalls, mentionOf } from "../siblings/calls.ts";
import { finder, startClientServer, textResult, usingServers } from "./client-server.ts";

describe("tools in clients of users", () => {
  const server = shareServer();
  const calls = createCalls(server);
  let agentId: string;
  beforeAll(async () => {
    agentId = await calls.createAgent("Finder", finder);
  });
  const root = () => `${pathsOf(server()).workspace}/mcp`;
  const ask = async (serverIds: string[], further: object = {}) => {
    const message = {
      content: "Find",
      mentions: mentionOf(agentId),
      ...usingServers(...serverIds),
    };
    const json = { message, skipToolsValidation: true, ...further };
    return jsonOf(await calls.call("POST", "", { json }), CreatedConversation).parsed;
  };

  it("answer agents that the messages of their user ask", async () => {
    await using client = await startClientServer(server, { onCall: () => textResult("Found") });
    const { conversation } = await ask([client.serverId], { blocking: true });
    const [answer] = answersOf(await calls.get(conversation.sId));
    expect(answer).toMatchObject({
      content: "It says: Found",
      actions: [{ mcpServerId: client.serverId, toolName: "find", status: "succeeded" }],
    });
    expect(client.calls()).toMatchObject([{ params: { arguments: { word: "shoes" } } }]);
  });

  it("are redirected to their stream, whose frames are JSON-RPC in an envelope", async () => {
    const path = `${root()}/register`;
    const { serverId } = JSON.parse(
      (await send(server(), { path, json: { serverName: "x" } })).text,
    );
    const requests = `${root()}/requests?serverId=${serverId}`;
    const redirected = await send(server(), { path: requests });
    expect(redirected.status).toBe(307);
    expect(redirected.headers.get("location")).toBe(requests.replace("/api/", "/api/sse/"));
    const stop = new AbortController();
    const stream = await open(server(), {
      path: requests.replace("/api/", "/api/sse/"),
      signal: stop.signal,
    });
    const { value } = await stream.body!.getReader().read();
    stop.abort();
    const [frame] = new TextDecoder()
      .decode(value)
      .split("\n\n")
      .filter((one) => one.startsWith("data"));
    expect(JSON.parse(frame!.slice(6))).toEqual({
      eventId: "1",
      data: {
        jsonrpc: "2.0",
        id: "initialize",
        method: "initialize",
        params: {
          protocolVersion: "2025-06-18",
          capabilities: {},
          clientInfo: { name: "parley", version: "1.0.0" },
        },
      },
    });
  });

  it("are kept by heartbeats, and are unknown to everybody else", async () => {
    await using client = await startClientServer(server);
    const { serverId } = client;
    const { userKey } = server().demo;
    const path = `${root()}/heartbeat`;
    const kept = await send(server(), { path, json: { serverId } });
    expect(JSON.parse(kept.text)).toEqual({ success: true, expiresAt: expect.any(String) });
    const withoutId = (text: string) => text.replace(/"request_id":"[^"]*"/, "");
    const unknown = await send(server(), { path, json: { serverId: "cms_unknown" } });
    const foreign = await send(server(), { path, json: { serverId }, key: userKey });
    expectError(foreign, "mcp_server_not_found");
    expect(withoutId(foreign.text)).toBe(withoutId(unknown.text));
    const results = { path: `${root()}/results`, key: userKey };
    const result = { jsonrpc: "2.0", id: "initialize", result: {} };
    expectError(
      await send(server(), { ...results, json: { serverId, result } }),
      "mcp_server_not_found",
    );
    const requests = `${root()}/requests?serverId=${serverId}`;
    expectError(await send(server(), { path: requests, key: userKey }), "mcp_server_not_found");
    const nonsense = { path: results.path, json: { serverId, result: { hello: "you" } } };
    expectError(await send(server(), nonsense), "invalid_request_error");
  });

  it("are told when their call is cancelled", async () => {
    await using client = await startClientServer(server);
    const { conversation } = await ask([client.serverId]);
    await eventually(async () => (client.calls().length > 0 ? { value: true } : {}), 10_000);
    const messageIds = [conversation.content.at(-1)!.at(-1)!.sId];
    await calls.call("POST", `/${conversation.sId}/cancel`, { json: { messageIds } });
    const isTold = () => client.seen.at(-1)?.method === "notifications/cancelled";
    await eventually(async () => (isTold() ? { value: true } : {}), 10_000);
    expect(client.seen.at(-1)?.params?.requestId).toBe(client.calls()[0]?.id);
  });

  it("are named by messages whose unknown servers are warned of", async () => {
    const { warnings } = await ask(["cms_unknown"]);
    expect(warnings).toMatchObject([{ path: "message.context.clientSideMCPServerIds[0]" }]);
  });

  it("are served by parley-client", async () => {
    const { url, demo } = server();
    const { workspaceId, adminKey: apiKey } = demo;
    const parley = createParley({ baseUrl: url, workspaceId, apiKey });
    const { serverId } = await parley.clientServers.register({ serverName: "mine" });
    const requests = parley.clientServers.follow({ serverId });
    expect((await requests.next()).value?.method).toBe("initialize");
    await requests.return?.();
    await parley.clientServers.heartbeat({ serverId });
    const result = { jsonrpc: "2.0", id: "unknown", result: {} };
    expect(await parley.clientServers.answer({ serverId, result })).toEqual({ success: true });
  });
});
