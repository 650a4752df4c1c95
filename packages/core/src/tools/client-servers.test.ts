import { clientServers } from "@parley/db";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { workspaceTest } from "../../testing/core-test.ts";
import { testTool } from "../../testing/tool-servers.ts";
import { answerAsClientServer } from "./answer-requests.ts";
import { keepClientServer, registerClientServer, sweepClientServers } from "./client-servers.ts";

const initialized = {
  protocolVersion: "2025-06-18",
  capabilities: { tools: {} },
  serverInfo: { name: "editor", version: "1" },
};

describe("servers in clients", () => {
  const test = workspaceTest({ per: "suite", keepRuns: true });

  const register = async (serverName = "editor") =>
    (await registerClientServer(test.context, { serverName })).serverId;
  const offeredBy = async (serverId: string) => {
    const [row] = await test.core.database.db
      .select()
      .from(clientServers)
      .where(eq(clientServers.sid, serverId));
    return row?.offer?.tools.map(({ name }) => name);
  };

  it("are asked page by page, and again when they say so, for tools that can be used", async () => {
    const serverId = await register();
    const say = (result: object) =>
      answerAsClientServer(test.context, { serverId, result: { jsonrpc: "2.0", ...result } });
    const answer = (id: string, result: object) => say({ id, result });
    await answer("initialize", initialized);
    const broken = { name: "broken", inputSchema: { type: "object", required: 7 } };
    await answer("tools-1", { tools: [testTool("find"), broken], nextCursor: "2" });
    await answer("tools-2", { tools: [testTool("find"), testTool("sell")], nextCursor: "3" });
    expect(await offeredBy(serverId)).toBeUndefined();
    // A page without anything new is the last.
    await answer("tools-3", { tools: [testTool("find")], nextCursor: "4" });
    expect(await offeredBy(serverId)).toEqual(["find", "sell"]);
    await say({ method: "notifications/tools/list_changed" });
    await say({ method: "notifications/tools/list_changed" });
    await answer("tools-4", { tools: [testTool("buy")] });
    expect(await offeredBy(serverId)).toEqual(["buy"]);
    await answer("tools-5", { tools: [testTool("nobody-asked")] });
    expect(await offeredBy(serverId)).toEqual(["buy"]);
  });

  it("have no tools if they answer with nonsense", async () => {
    const serverId = await register();
    const result = { jsonrpc: "2.0", id: "initialize", result: { tools: "many" } };
    await answerAsClientServer(test.context, { serverId, result });
    expect(await offeredBy(serverId)).toEqual([]);
  });

  it("are bounded: the server that would expire first makes room", async () => {
    const ids: string[] = [];
    for (let count = 0; count < 17; count++) ids.push(await register());
    const [first = "", second = ""] = ids;
    await expect(keepClientServer(test.context, { serverId: first })).rejects.toThrow(/register/);
    await expect(keepClientServer(test.context, { serverId: second })).resolves.toBeDefined();
  });

  it("are gone five minutes after their last heartbeat", async () => {
    const serverId = await register();
    test.clock.now += 4 * 60_000;
    await keepClientServer(test.context, { serverId });
    test.clock.now += 5 * 60_000 - 1;
    await expect(keepClientServer(test.context, { serverId })).resolves.toBeDefined();
    test.clock.now += 5 * 60_000;
    await expect(keepClientServer(test.context, { serverId })).rejects.toMatchObject({
      type: "mcp_server_not_found",
    });
    await sweepClientServers(test.core);
    expect(await test.core.database.db.$count(clientServers)).toBe(0);
  });
});
