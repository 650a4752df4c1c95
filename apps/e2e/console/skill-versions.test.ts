import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("the versions of a skill", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("are listed, and shown with the differences between any two", async () => {
    const { workspaceId: wId } = server().demo;
    const skill = { wId, name: "refunds", agentFacingDescription: "How to refund" };
    const lines = Array.from({ length: 40 }, (_, index) => `Rule ${index}`);
    const textOf = (all: readonly string[]) => all.join("\n");
    const created = await calls
      .rpc()
      .skills.create.mutate({ ...skill, instructions: textOf(lines) });
    const skillId = created.skill.sId;
    const change = async (version: number, changed: object) =>
      calls.rpc().skills.update.mutate({ wId, skillId, version, ...changed });
    await change(0, { instructions: textOf(lines.with(20, "Ask a person first")) });
    await change(1, { name: "returns" });
    const page = await opened().enter(`/skills/${skillId}`);
    await page.getByRole("link", { name: "Versions" }).click();
    const table = page.getByRole("group", { name: "Versions", exact: true });
    await expect.poll(() => table.getByRole("row").count()).toBe(4);
    const differences = page.getByRole("group", { name: "Changes in version 2 since version 1" });
    await differences.getByRole("insertion").waitFor();
    expect(await differences.getByRole("deletion").allTextContents()).toEqual(["Name: refunds"]);
    expect(await differences.getByRole("insertion").allTextContents()).toEqual(["Name: returns"]);
    await expectAccessible(page);
    await table.getByRole("link", { name: "Version 1" }).click();
    const first = page.getByRole("group", { name: "Changes in version 1 since version 0" });
    await first.getByRole("insertion").filter({ hasText: "Ask a person first" }).waitFor();
    expect(await first.getByRole("deletion").allTextContents()).toEqual(["Rule 20"]);
    expect(await first.getByText("Rule 19").count()).toBe(1);
    expect(await first.getByText("Rule 30").count()).toBe(0);
    // The choice is in the URL.
    await page.getByRole("combobox", { name: "Compare with" }).selectOption("Version 2");
    await expect.poll(() => page.url()).toContain("?version=1&with=2");
    await page.reload();
    const back = page.getByRole("group", { name: "Changes in version 1 since version 2" });
    await back.getByRole("insertion").filter({ hasText: "Name: refunds" }).waitFor();
    await page
      .getByRole("combobox", { name: "Compare with" })
      .selectOption("None (show full text)");
    await page
      .getByRole("group", { name: "Version 1", exact: true })
      .getByText("Rule 30")
      .waitFor();
    await expectAccessible(page);
    await goTo(page, `/skills/${skillId}/versions?version=9`);
    await page.getByText("Version 9 is not available").waitFor();
    await page.getByRole("link", { name: "Current skill" }).click();
    await page.getByRole("heading", { name: "returns", exact: true }).waitFor();
  });

  it("are not for users", async () => {
    const { workspaceId: wId } = server().demo;
    const { skill } = await calls.rpc().skills.create.mutate({
      wId,
      name: "shared",
      agentFacingDescription: "x",
      availability: "workspace_users",
    });
    const page = await opened().enter(`/skills/${skill.sId}`, { key: server().demo.userKey });
    await page.getByText("No instructions.").waitFor();
    expect(await page.getByRole("link", { name: "Versions" }).count()).toBe(0);
  });
});
