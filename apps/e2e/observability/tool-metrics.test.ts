import { describe, expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { finder, startClientServer, textResult, usingServers } from "../tools/client-server.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";
import { type Scraped, scrape, scrapeUntil } from "./scrape.ts";

describe("metrics of tools", () => {
  const server = shareServer({ PARLEY_METRICS_PORT: "0", PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const calls = createCalls(server);
  const agents = createShopAgents(server);
  const shop = shareShop();

  const ENDED = "parley_invocations_ended_total";
  const ended = async (program: string, outcome: string, count: number) =>
    scrapeUntil(server(), ({ value }) => value(ENDED, { program, outcome }) === count);

  test("calls are counted by what they call and how they end, and timed", async () => {
    const { tool } = await agents.register(shop(), {
      defaultStake: "never_ask",
      timeoutMs: 300,
    });
    for (const name of ["find", "fail", "wait"]) {
      const agentId = await agents.createAgent(tool.sId, `shop__${name}`);
      await calls.create("Go on", [agentId], { blocking: true });
    }
    await ended("tool", "succeeded", 1);
    await ended("tool", "tool_error", 1);
    await ended("tool", "timed_out", 1);
    shop().release();
    await using client = await startClientServer(server, { onCall: () => textResult("Found") });
    const mentions = [{ configurationId: await calls.createAgent("Finder", finder) }];
    const message = { content: "Find", mentions, ...usingServers(client.serverId) };
    const json = { message, skipToolsValidation: true, blocking: true };
    expect((await calls.call("POST", "", { json })).status).toBe(200);
    await ended("client", "succeeded", 1);
    const { demo } = server();
    const path = `/api/w/${demo.workspaceId}/sandbox-functions/add/invocations`;
    await fetch(server().url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${demo.adminKey}`, "content-type": "application/json" },
      body: JSON.stringify({ input: { a: 1, b: 2 } }),
    });
    const { value, text } = await ended("function", "succeeded", 1);
    const durations = "parley_invocation_duration_seconds";
    expect(value(`${durations}_count`, { program: "tool" })).toBe(3);
    expect(value(`${durations}_sum`, { program: "tool" })).toBeGreaterThan(0.3);
    expect(value(`${durations}_bucket`, { program: "tool", le: "0.25" })).toBe(2);
    for (const word of ["shop", tool.sId, client.serverId]) expect(text).not.toContain(word);
  });

  test("servers that are asked for their tools are counted by what came of it", async () => {
    const name = "parley_tool_servers_asked_total";
    const before = await scrape(server());
    const counted = ({ value }: Scraped, outcome: string) => {
      const labels = { asked: "tools", outcome };
      return (value(name, labels) ?? 0) - (before.value(name, labels) ?? 0);
    };
    const refused = agents.register({ url: "https://169.254.169.254/mcp" });
    await expect(refused).rejects.toThrow("169.254.169.254");
    const { tool } = await agents.register(shop());
    const wId = server().demo.workspaceId;
    await calls.rpc().tools.refresh.mutate({ wId, toolId: tool.sId });
    const after = await scrape(server());
    expect([counted(after, "done"), counted(after, "refused_address")]).toEqual([2, 1]);
  });
});
