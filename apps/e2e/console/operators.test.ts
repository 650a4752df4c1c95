import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { chooseOfAccount, expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("operators", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const enter = async (path: string) => opened().enter(path, { key: server().demo.operatorKey });
  const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

  const choose = async (page: Page, name: string, item: string) => {
    await page.getByRole("button", { name: `Actions for ${name}` }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };

  it("creates a workspace, shows its first key once, suspends, resumes and deletes it", async () => {
    const page = await enter("/workspaces");
    await page.getByRole("button", { name: "Create workspace" }).click();
    await page.getByLabel("Name").fill("Bakery");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "First key for Bakery" }).waitFor();
    await expectAccessible(page);
    const key = await page.getByRole("textbox", { name: "Secret" }).inputValue();
    await page.getByRole("button", { name: "Done" }).click();
    const row = rowOf(page, "Bakery");
    const wId = (await row.locator("code").textContent()) ?? "";
    const statusOf = async () =>
      (await send(server(), { method: "GET", path: `/api/v1/w/${wId}/exists`, key })).status;
    expect(await statusOf()).toBe(200);
    await choose(page, "Bakery", "Usage");
    await page.getByRole("dialog").getByText("Queued runs").waitFor();
    await expectAccessible(page);
    await page.keyboard.press("Escape");
    await choose(page, "Bakery", "Suspend");
    await row.getByText("suspended").waitFor();
    expect(await row.getByRole("button", { name: "Open Bakery" }).count()).toBe(0);
    await expect.poll(statusOf).not.toBe(200);
    await expectAccessible(page);
    await choose(page, "Bakery", "Resume");
    await row.getByText("active").waitFor();
    await choose(page, "Bakery", "Delete");
    await page.getByRole("textbox", { name: /^Type/ }).fill("Bakery");
    await page.getByRole("button", { name: "Delete workspace" }).click();
    await row.waitFor({ state: "detached" });
    await expect.poll(statusOf).not.toBe(200);
  });

  it("opens a workspace with a new key that expires, and operators switch back", async () => {
    const key = server().demo.operatorKey;
    const page = await opened().enterAnew("/workspaces", { key });
    await page.getByRole("button", { name: "Open Demo" }).click();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    await page.getByRole("button", { name: "Account: Demo console · admin" }).waitFor();
    const { workspaceId: wId } = server().demo;
    const { apiKeys } = await calls.rpc().apiKeys.list.query({ wId });
    const visit = apiKeys.find(({ name }) => name === "console");
    const hours = ((visit?.expiresAt ?? 0) - (visit?.createdAt ?? 0)) / 3_600_000;
    expect(visit).toMatchObject({ role: "admin" });
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThan(12.1);
    await page.goto(`${opened().url}/workspaces`);
    await page.getByRole("heading", { name: "You don't have access to this page" }).waitFor();
    await chooseOfAccount(page, /^All workspaces/);
    await page.getByRole("heading", { name: "Workspaces" }).waitFor();
  });

  it("see the runs of every workspace", async () => {
    const { conversation } = await calls.create("Who sees this?", ["helper"], { blocking: true });
    const page = await enter("/runs");
    await page.getByRole("heading", { name: "Server runs" }).waitFor();
    const rows = page.getByRole("group", { name: "Runs" }).getByRole("row");
    const row = rows.filter({ hasText: conversation.content.at(-1)?.at(-1)?.sId ?? "" });
    expect(await row.textContent()).toMatch(/^Demo.*helper.*Turn.*Succeeded/i);
    expect(await page.getByRole("checkbox").count()).toBe(0);
    expect(await rows.getByRole("link").count()).toBe(0);
    await expectAccessible(page);
    await page.getByRole("combobox", { name: "Status" }).selectOption("Failed");
    await page.getByText("No runs found").waitFor();
    expect(page.url()).toContain("status=errored");
    await expectAccessible(page);
  });

  it("creates, rotates and revokes an operator key, and keeps the last one", async () => {
    const page = await enter("/operator-keys");
    await expectAccessible(page);
    const takeSecret = async () => {
      const secret = await page.getByRole("textbox", { name: "Secret" }).inputValue();
      await page.getByRole("button", { name: "Done" }).click();
      return secret;
    };
    const statusOf = async (key: string) =>
      (await send(server(), { method: "GET", path: "/api/admin/workspaces", key })).status;
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByLabel("Name").fill("Ada");
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const first = await takeSecret();
    expect(await statusOf(first)).toBe(200);
    await page.getByRole("button", { name: "Rotate Ada" }).click();
    await page.getByLabel("Keep the old secret valid for").selectOption("0");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    const second = await takeSecret();
    expect(await statusOf(second)).toBe(200);
    await expect.poll(async () => statusOf(first)).toBe(401);
    await page.getByRole("button", { name: "Revoke Ada" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("Ada");
    await page.getByRole("button", { name: "Revoke operator key" }).click();
    await rowOf(page, "Ada").getByText("revoked").waitFor();
    await expect.poll(async () => statusOf(second)).toBe(401);
    const { operatorKeys } = await calls.operator().operatorKeys.list.query({});
    const last = operatorKeys.filter(({ revokedAt }) => revokedAt === null);
    expect(last).toHaveLength(1);
    await page.getByRole("button", { name: `Revoke ${last[0]!.name}` }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill(last[0]!.name);
    await page.getByRole("button", { name: "Revoke operator key" }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await expectAccessible(page);
    expect(await statusOf(server().demo.operatorKey)).toBe(200);
  });
});
