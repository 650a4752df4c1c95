import { createRpcClient } from "parley-client";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("tools", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const opened = shareConsole(server);
  const calls = createCalls(server);
  const agents = createShopAgents(server);
  const shop = shareShop();

  it("registers a server, shows its tools, changes how they are called, and removes it", async () => {
    const { workspace, adminKey: key } = await calls
      .operator()
      .workspaces.create.mutate({ name: "Shops" });
    const wId = workspace.sId;
    const rpc = createRpcClient({ url: server().url, apiKey: key });
    await rpc.spaces.create.mutate({ wId, name: "Shoes" });
    const page = await opened().enter("/tools", { key });
    await page.getByText("No tools yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Register server" }).click();
    await page.getByLabel("URL").fill("http://127.0.0.1:1/mcp");
    await page.getByLabel("Authentication").selectOption("Headers");
    await page.getByLabel("Headers").fill("X-Shop-Key: open-sesame");
    await expectAccessible(page);
    const register = page.getByRole("button", { name: "Register", exact: true });
    await register.click();
    const alert = page.getByRole("alert").filter({ hasText: "The server was not registered" });
    await alert.waitFor();
    expect(await alert.textContent()).toMatch(/Request\s*\S+/);
    await page.getByLabel("URL").fill(shop().url);
    await page.getByRole("textbox", { name: "Name" }).fill("Shoe shop");
    await register.click();
    await page.getByRole("heading", { name: "Shoe shop" }).waitFor();
    expect(shop().key).toBe("open-sesame");
    await page.getByText("headers X-Shop-Key").waitFor();
    expect(await page.content()).not.toContain("open-sesame");
    const offered = page.getByRole("list", { name: "Server tools" });
    await offered.locator("summary", { hasText: "find" }).click();
    await offered
      .getByRole("group", { name: "Input of find" })
      .getByText('"word"')
      .first()
      .waitFor();
    await expectAccessible(page);
    await page.getByLabel("Approval for find", { exact: true }).selectOption("Not required");
    await page.getByLabel("Retry interrupted calls of find").check();
    await page.getByLabel("Max concurrent calls").fill("3");
    await page.getByRole("button", { name: "Save connection" }).click();
    await page.getByText("Connection saved").first().waitFor();
    const { tools } = await rpc.tools.list.query({ wId });
    const { sId: toolId } = tools[0]!.tool;
    const { connection } = await rpc.tools.getConnection.query({ wId, toolId });
    expect(connection).toMatchObject({
      stakes: { find: "never_ask" },
      retryableTools: ["find"],
      maxConcurrent: 3,
      headerNames: ["X-Shop-Key"],
    });
    shop().extend();
    await page.getByRole("button", { name: "Refresh" }).click();
    await offered.locator("summary", { hasText: "Sells" }).waitFor();
    await page.getByRole("button", { name: "Edit", exact: true }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Boot shop");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("heading", { name: "Boot shop" }).waitFor();
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Tools" })
      .click();
    await page.getByRole("link", { name: "Boot shop" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Boot shop" }).click();
    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("Boot shop");
    await page.getByRole("button", { name: "Remove tool" }).click();
    await page.getByText("No tools yet").waitFor();
    await page.goto(`${opened().url}/tools/${toolId}`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  });

  it("always allows calls of a tool with a low risk, from the inbox", async () => {
    const { tool } = await agents.register(shop(), { defaultStake: "low" });
    const agentId = await agents.createAgent(tool.sId, "shop__find");
    const before = shop().calls.length;
    await calls.create("Go on", [agentId]);
    const page = await opened().enter("/approvals");
    await page.getByRole("button", { name: "Always allow" }).click();
    await page.getByText("Nothing needs your attention").waitFor();
    await expect.poll(() => shop().calls.length).toBe(before + 1);
    await calls.create("Once more", [agentId], { blocking: true });
    expect(shop().calls.length).toBe(before + 2);
  });
});
