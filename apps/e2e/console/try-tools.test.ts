import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { createShopAgents } from "../tools/shop-agent.ts";
import { shareShop } from "../tools/shop-server.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("trying a tool", () => {
  const server = shareServer({ PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
  const opened = shareConsole(server);
  const calls = createCalls(server);
  const agents = createShopAgents(server);
  const shop = shareShop();

  it("calls it with a form generated from its schema, and shows the answer", async () => {
    const { tool } = await agents.register(shop(), { name: "Shop" });
    const page = await opened().enter(`/tools/${tool.sId}`);
    const offered = page.getByRole("list", { name: "Server tools" });
    await offered.locator("summary", { hasText: "find" }).click();
    const form = offered.getByRole("region", { name: "Try find" });
    await form.getByRole("button", { name: "Call find" }).click();
    await form.getByRole("status").getByText("The tool responded").waitFor();
    await form.getByRole("textbox", { name: "word" }).fill("boots");
    await form.getByRole("button", { name: "Call find" }).click();
    await form.getByRole("group", { name: "Result" }).getByText("Found boots").waitFor();
    await form.getByText(/^after /).waitFor();
    await expectAccessible(page);
    expect(shop().calls.at(-1)).toEqual({ name: "find", arguments: { word: "boots" } });
    // Arguments that the schema refuses do not reach the server.
    await form.getByRole("button", { name: "Edit JSON" }).click();
    await form.getByRole("textbox", { name: "Input (JSON)" }).fill('{"word": 7}');
    const before = shop().calls.length;
    await form.getByRole("button", { name: "Call find" }).click();
    await form.getByRole("alert").getByText("(invalid_input)").waitFor();
    await form.getByText("The call failed").waitFor();
    await expectAccessible(page);
    expect(shop().calls).toHaveLength(before);
    await offered.locator("summary", { hasText: "fail" }).click();
    const failing = offered.getByRole("region", { name: "Try fail" });
    await failing.getByRole("button", { name: "Call fail" }).click();
    await failing.getByText("The tool returned an error").waitFor();
    await failing.getByRole("link", { name: "Open call" }).click();
    await page.getByRole("heading", { name: "Call to Shop" }).waitFor();
    await page.getByText("Input", { exact: true }).click();
    await page.getByRole("group", { name: "Input" }).getByText('"name": "fail"').waitFor();
    expect(await page.getByRole("button", { name: "Rerun" }).count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Open tool" }).click();
    await page.getByRole("heading", { name: "Shop", exact: true }).waitFor();
  });

  it("cancels a call, from its page and from the runs", async () => {
    const { tool } = await agents.register(shop(), { name: "Slow shop" });
    const page = await opened().enter(`/tools/${tool.sId}`);
    const offered = page.getByRole("list", { name: "Server tools" });
    await offered.locator("summary", { hasText: "wait" }).click();
    const form = offered.getByRole("region", { name: "Try wait" });
    await form.getByRole("textbox", { name: "word" }).fill("x");
    await form.getByRole("button", { name: "Call wait" }).click();
    await form.getByText("Calling …").waitFor();
    await form.getByRole("button", { name: "Cancel" }).click();
    await form.getByRole("alert").getByText("(cancelled)").waitFor();
    await form.getByRole("button", { name: "Call wait" }).click();
    await form.getByText("Calling …").waitFor();
    await page.goto(`${opened().url}/runs?kind=tool_call`);
    await page.getByRole("checkbox", { name: /^Select Slow shop/ }).check();
    await page.getByRole("button", { name: "Cancel (1)" }).click();
    await page.getByText("1 run cancelled").first().waitFor();
    const { workspaceId: wId } = server().demo;
    const { runs } = await calls.rpc().runs.list.query({ wId, kind: "tool_call", limit: 2 });
    expect(runs.map(({ status }) => status)).toEqual(["cancelled", "cancelled"]);
    shop().release();
  });
});
