import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("data sources", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const wId = () => server().demo.workspaceId;

  it("creates a data source, uploads texts, finds, reads and deletes them", async () => {
    const { space } = await calls.rpc().spaces.create.mutate({ wId: wId(), name: "Shops" });
    const page = await opened().enter(`/data-sources?space=${space.sId}`);
    await page.getByText("No data sources in this space").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create data source" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Handbook of shops");
    expect(await page.getByRole("dialog").getByRole("combobox").inputValue()).toBe(space.sId);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "Handbook of shops" }).waitFor();
    await page.getByText("No documents yet").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Upload text" }).click();
    const file = page.getByLabel("Load from file");
    await file.setInputFiles({ name: "a.bin", mimeType: "", buffer: Buffer.from([0, 255, 1]) });
    await page.getByText("a.bin is not UTF-8 text").waitFor();
    const buffer = Buffer.from("We open at nine.");
    await file.setInputFiles({ name: "hours.txt", mimeType: "text/plain", buffer });
    await expect.poll(async () => page.getByLabel("Id").inputValue()).toBe("hours.txt");
    await page.getByLabel("Title").fill("Opening hours");
    await page.getByLabel("Tags").fill("shop, hours");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "hours.txt" });
    await row.getByText("hours", { exact: true }).waitFor();
    await expectAccessible(page);
    await page.getByRole("searchbox", { name: "Search documents" }).fill("nine");
    await page.getByRole("main").getByRole("button", { name: "Search", exact: true }).click();
    const found = page.getByRole("list", { name: "Search results" });
    await found.getByText("We open at nine.").waitFor();
    expect(page.url()).toContain("q=nine");
    await expectAccessible(page);
    await found.getByRole("link", { name: "Opening hours" }).click();
    await page.getByRole("dialog").getByText("We open at nine.").waitFor();
    expect(page.url()).toContain("doc=hours.txt");
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await page.getByRole("searchbox", { name: "Search documents" }).fill("opened");
    await page.getByRole("combobox", { name: "Way" }).selectOption("parts");
    await page.getByRole("main").getByRole("button", { name: "Search", exact: true }).click();
    const parts = page.getByRole("list", { name: "Found parts" });
    await expect
      .poll(
        async () => {
          await page.reload();
          await parts.or(page.getByText("Agents find nothing")).waitFor();
          return parts.getByText("We open at nine.").count();
        },
        { timeout: 30_000 },
      )
      .toBe(1);
    await parts
      .getByText(
        /Handbook of shops, found by words and pieces of words, score 0\.0\d+, characters 0 to 16/,
      )
      .waitFor();
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Without the tags" }).fill("hours, other");
    await page.getByRole("main").getByRole("button", { name: "Search", exact: true }).click();
    await page.getByText("Agents find nothing").waitFor();
    await page.getByRole("combobox", { name: "Way" }).selectOption("");
    await page.getByRole("searchbox", { name: "Search documents" }).fill("elephant");
    await page.getByRole("main").getByRole("button", { name: "Search", exact: true }).click();
    await page.getByText("No matching documents").waitFor();
    await page.getByRole("link", { name: "All documents" }).click();
    await row.getByText("Divided", { exact: true }).waitFor();
    await page.getByText("1 document or folder, 16 bytes").waitFor();
    await row.getByRole("button", { name: "Delete Opening hours" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("delete");
    await page.getByRole("button", { name: "Delete document" }).click();
    await page.getByText("No documents yet").waitFor();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("Handbook of shops");
    await page.getByRole("button", { name: "Delete data source" }).click();
    await page.getByRole("heading", { name: "Data sources" }).waitFor();
    const { dataSourceViews } = await calls.rpc().dataSourceViews.list.query({ wId: wId() });
    expect(dataSourceViews.map(({ name }) => name)).not.toContain("Handbook of shops");
  });

  it("shows documents a page at a time, and a user's key no forbidden actions", async () => {
    const { spaceId } = server().demo;
    const view = { wId: wId(), spaceId, name: "Long" };
    const { dataSourceView } = await calls.rpc().dataSourceViews.create.mutate(view);
    const ids = Array.from({ length: 51 }, (_, index) => `doc-${String(index).padStart(2, "0")}`);
    for (const nodeId of ids) {
      await calls.rpc().dataSourceNodes.put.mutate({
        wId: wId(),
        dataSourceViewId: dataSourceView.sId,
        nodeId,
        nodeType: "document",
        title: nodeId,
        content: "Text",
      });
    }
    const page = await opened().enter("/data-sources", { key: server().demo.userKey });
    await page.getByRole("link", { name: "Long" }).click();
    await page.getByText("51 documents").waitFor();
    expect(await page.getByRole("row").count()).toBe(51);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("link", { name: "doc-50" }).waitFor();
    expect(page.url()).toContain("after=doc-49");
    expect(await page.getByRole("button", { name: /Delete|Upload/ }).count()).toBe(0);
    await goTo(page, `/data-sources/${spaceId}/dsv_none`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
  });
});
