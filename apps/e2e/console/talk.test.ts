import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("talking", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  /** Opens a conversation with an agent that has a script, after the agent has got a message. */
  async function talkTo(agentId: string, content = "Go on"): Promise<Page> {
    const { conversation } = await calls.create(content, [agentId]);
    return opened().enter(`/conversations/${conversation.sId}`);
  }

  const write = async (page: Page, text: string) => {
    await page.getByRole("textbox", { name: "Message" }).fill(text);
    await page.getByRole("button", { name: "Send" }).click();
  };

  it("starts a conversation with two agents, and lists it", async () => {
    const page = await opened().enter("/conversations");
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.getByRole("button", { name: /^Agents/ }).click();
    for (const name of ["helper", "slowpoke"]) {
      const agent = page.getByRole("menuitemcheckbox", { name });
      if ((await agent.getAttribute("aria-checked")) !== "true") await agent.click();
    }
    const faulty = page.getByRole("menuitemcheckbox", { name: "faulty" });
    if ((await faulty.getAttribute("aria-checked")) === "true") await faulty.click();
    await page.keyboard.press("Escape");
    await write(page, "Two of you, please");
    await page
      .getByRole("article", { name: "Answer from helper" })
      .getByText("glad to help")
      .waitFor();
    const slow = page.getByRole("article", { name: "Answer from slowpoke" });
    await slow.getByText("nothing is missing.").waitFor();
    await expectAccessible(page);
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Conversations" })
      .click();
    await page.getByRole("searchbox", { name: "Filter by title" }).fill("of you two");
    await page.getByRole("link", { name: "Two of you, please" }).waitFor();
    expect(page.url()).toContain("q=of+you+two");
    await expectAccessible(page);
  });

  it("continues an answer without a gap when the page is reloaded and its stream breaks", async () => {
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
    const agent = await calls.createAgent("Counting", {
      steps: [{ text: words }],
      tokenDelayMs: 10,
    });
    const page = await talkTo(agent);
    const answer = page.getByRole("article", { name: "Answer from Counting" });
    await answer.getByText("w20 ").waitFor();
    await page.reload();
    await answer.getByText("w40 ").waitFor();
    opened().breakConnections();
    await page.getByRole("button", { name: "Regenerate" }).waitFor();
    expect(await answer.getByRole("paragraph").last().textContent()).toBe(words);
  });

  it("shows messages from another tab", async () => {
    const page = await talkTo("helper", "First");
    await page.getByText("You said: First").waitFor();
    const other = await opened().enterAnew(new URL(page.url()).pathname);
    await write(other, "From the other tab");
    await page.getByText("You said: From the other tab").waitFor();
    expect(await page.getByRole("article").count()).toBe(4);
  });

  it("renders Markdown with highlighted code, accessibly and without requests elsewhere", async () => {
    const text = [
      "# Heading\n\n| a | b |\n|---|---|\n| 1 | 2 |",
      "```ts\nconst answer: number = 42;\n```",
      "<img src=x onerror=alert(1)> [bad](javascript:alert(1)) ![picture](https://elsewhere.test/a.png)",
    ].join("\n\n");
    const agent = await calls.createAgent("Writer", { steps: [{ text }], tokenDelayMs: 0 });
    const page = await talkTo(agent);
    const answer = page.getByRole("article", { name: "Answer from Writer" });
    await answer.getByRole("heading", { name: "Heading" }).waitFor();
    await answer.getByText("<img src=x onerror=alert(1)>").waitFor();
    await expectAccessible(page);
  });

  it("regenerates an answer, with the versions side by side", async () => {
    const page = await talkTo("helper", "Once more");
    await page.getByRole("button", { name: "Regenerate" }).click();
    await page.getByRole("button", { name: "Compare 2 versions" }).click();
    const versions = page.getByRole("list", { name: "Versions" }).getByRole("listitem");
    await versions.nth(1).waitFor();
    expect(await versions.allTextContents()).toEqual([
      expect.stringContaining("Version 2"),
      expect.stringContaining("Version 1"),
    ]);
    await expectAccessible(page);
  });

  it("cancels an answer, which keeps its text", async () => {
    const text = "tick ".repeat(2000);
    const agent = await calls.createAgent("Clock", { steps: [{ text }], tokenDelayMs: 20 });
    const page = await talkTo(agent);
    await page.getByText(/tick tick/).waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    const answer = page.getByRole("article", { name: "Answer from Clock" });
    await answer.getByText("cancelled").waitFor();
    expect(await answer.textContent()).toContain("tick tick");
  });

  it("sends files that were dropped and chosen, in the order of their names", async () => {
    const page = await talkTo("helper", "Wait for files");
    await page.getByText("You said: Wait for files").waitFor();
    await page
      .locator('input[type="file"]')
      .setInputFiles([
        { name: "hours.txt", mimeType: "text/plain", buffer: Buffer.from("We open at nine.") },
      ]);
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      transfer.items.add(new File(["dropped"], "dropped.md", { type: "text/markdown" }));
      return transfer;
    });
    const form = page.getByRole("form", { name: "New message" });
    await form.dispatchEvent("drop", { dataTransfer: data });
    await page.getByRole("list", { name: "Attachments" }).getByText("dropped.md").waitFor();
    await write(page, "Here they are");
    await page.getByText("You said: Here they are").waitFor();
    const messages = page.getByRole("list", { name: "Messages" });
    const download = page.waitForEvent("download");
    await messages.getByRole("button", { name: "Download hours.txt" }).click();
    expect((await download).suggestedFilename()).toBe("hours.txt");
    await messages.getByText("dropped.md").first().waitFor();
    await expectAccessible(page);
  });
});
