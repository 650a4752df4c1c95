import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { typeFilter } from "./filter-chips.ts";
import { goTo } from "./go-to.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("all conversations", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const table = (page: Page) => page.getByRole("group", { name: "All conversations" });
  const titlesOf = async (page: Page) => table(page).getByRole("link").allTextContents();

  /** A word that only the titles of one test contain. */
  const newWord = () => `w${randomUUID().slice(0, 8)}`;

  async function createTitled(title: string, agents: string[] = []): Promise<string> {
    const message = agents.length === 0 ? {} : { blocking: true };
    const { conversation } = await calls.create("Hello", agents, { title, ...message });
    return conversation.sId;
  }

  it("finds conversations by title, agent, state and time, with all of it in the URL", async () => {
    const word = newWord();
    await createTitled(`Refund ${word}`, ["helper"]);
    await createTitled(`Broken ${word}`, ["faulty"]);
    await createTitled(`Quiet ${word}`);
    const page = await opened().enter("/conversations");
    await page.getByRole("link", { name: "Search all" }).click();
    await table(page).waitFor();
    await expectAccessible(page);
    await typeFilter(page, "Title contains", word.toUpperCase());
    await expect
      .poll(() => titlesOf(page))
      .toEqual([`Quiet ${word}`, `Broken ${word}`, `Refund ${word}`]);
    const state = page.getByRole("combobox", { name: "State" });
    await state.selectOption("Failed");
    await expect.poll(() => titlesOf(page)).toEqual([`Broken ${word}`]);
    await state.selectOption("Unanswered");
    await expect.poll(() => titlesOf(page)).toEqual([`Quiet ${word}`]);
    await state.selectOption("All");
    await page.getByRole("combobox", { name: "Agent" }).selectOption("helper");
    await expect.poll(() => titlesOf(page)).toEqual([`Refund ${word}`]);
    expect(new URL(page.url()).search).toMatch(new RegExp(`^\\?q=${word}&agent=\\w+$`, "i"));
    await page.reload();
    await expect.poll(() => titlesOf(page)).toEqual([`Refund ${word}`]);
    const agent = page.getByRole("combobox", { name: "Agent" });
    await expect.poll(async () => agent.locator("option:checked").textContent()).toBe("helper");
    await typeFilter(page, "To", "2020-01-01T00:00");
    await page.getByText("No matching conversations").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Clear filter" }).click();
    await table(page).getByText(`Quiet ${word}`).waitFor();
    await page.goBack();
    await page.getByText("No matching conversations").waitFor();
    await table(page).waitFor({ state: "detached" });
  });

  it("lists a page at a time, those of other keys too, and nothing past the end", async () => {
    const word = newWord();
    const titles = Array.from({ length: 52 }, (_, index) => `${word} ${index}`);
    for (const title of titles) await createTitled(title);
    const page = await opened().enter("/conversations/all");
    await expect.poll(async () => (await titlesOf(page)).length).toBe(50);
    expect(await titlesOf(page)).toContain(`${word} 51`);
    await page.getByRole("link", { name: "Next page" }).click();
    await table(page).getByText(`${word} 1`, { exact: true }).waitFor();
    expect(page.url()).toContain("after=");
    await page.goto(`${opened().url}/conversations/all?after=1.1`);
    await page.getByText("No more conversations").waitFor();
    expect(await page.getByRole("alert").count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("link", { name: "First page" }).click();
    await table(page).getByText(`${word} 51`).click();
    await page.getByRole("heading", { name: `${word} 51`, level: 1 }).waitFor();
  });

  it("is not offered to users", async () => {
    const page = await opened().enter("/conversations", { key: server().demo.userKey });
    await page.getByRole("link", { name: "New conversation" }).waitFor();
    expect(await page.getByRole("link", { name: "Search all" }).count()).toBe(0);
    await goTo(page, "/conversations/all");
    await page.getByRole("heading", { name: "You don't have access to this page" }).waitFor();
  });
});
