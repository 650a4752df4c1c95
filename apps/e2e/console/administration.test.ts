import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { send } from "../request.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { typeFilter } from "./filter-chips.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("administration", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const wId = () => server().demo.workspaceId;
  const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });

  /** The secret that a dialog shows, which is closed. */
  async function takeSecret(page: Page): Promise<string> {
    const secret = await page.getByRole("textbox", { name: "Secret" }).inputValue();
    await page.getByRole("button", { name: "Done" }).click();
    expect(await page.content()).not.toContain(secret);
    return secret;
  }

  /** The status of a read with a key. */
  const statusOf = async (key: string) => {
    const path = `/api/v1/w/${wId()}/exists`;
    return (await send(server(), { method: "GET", path, key })).status;
  };

  it("creates, changes, rotates, disables and revokes a key", async () => {
    const { space } = await calls.rpc().spaces.create.mutate({
      wId: wId(),
      name: "Legal",
      isRestricted: true,
    });
    const page = await opened().enter("/keys");
    await rowOf(page, "demo admin").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create key" }).click();
    await page.getByRole("textbox", { name: "Name" }).last().fill("backend");
    await page.getByRole("combobox", { name: "Role" }).selectOption("builder");
    await page.getByRole("checkbox", { name: "Legal" }).check();
    await page.getByLabel("Expires").fill("2099-12-31T23:59");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    await page.getByRole("heading", { name: "New key: backend" }).waitFor();
    await expectAccessible(page);
    // A press beside the dialog does not lose the secret.
    await page.mouse.click(5, 5);
    const first = await takeSecret(page);
    expect(await statusOf(first)).toBe(200);
    const row = rowOf(page, "backend");
    expect(await row.textContent()).toMatch(/builder.*Legal.*Active/);
    const { apiKeys } = await calls.rpc().apiKeys.list.query({ wId: wId() });
    const created = apiKeys.find(({ name }) => name === "backend");
    expect(created).toMatchObject({ role: "builder", spaceIds: [space.sId] });
    const choose = async (item: string) => {
      await row.getByRole("button", { name: "Actions for backend" }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await choose("Edit");
    await page.getByRole("combobox", { name: "Role" }).selectOption("user");
    await page.getByLabel("Expires").fill("");
    await page.getByRole("button", { name: "Save" }).click();
    await row.getByRole("cell", { name: "never" }).waitFor();
    await choose("Rotate");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Rotate", exact: true }).click();
    await page.getByText("The previous secret stops working on").waitFor();
    const second = await takeSecret(page);
    expect([await statusOf(first), await statusOf(second)]).toEqual([200, 200]);
    await choose("Disable");
    await row.getByText("disabled").waitFor();
    await expect.poll(async () => statusOf(second)).toBe(401);
    await choose("Enable");
    await row.getByText("active").waitFor();
    await choose("Revoke");
    const revoke = page.getByRole("button", { name: "Revoke key" });
    await expectAccessible(page);
    await page.getByRole("textbox", { name: /^Type/ }).fill("backend");
    await revoke.click();
    await row.waitFor({ state: "detached" });
    await expect.poll(async () => statusOf(second)).toBe(401);
    await page.getByRole("checkbox", { name: "Include revoked" }).check();
    await row.getByText("revoked").waitFor();
  });

  it("sets, replaces and removes secrets, and never shows a value", async () => {
    const page = await opened().enter("/secrets");
    const functions = page.getByRole("region", { name: "Function secrets" });
    const providers = page.getByRole("region", { name: "Model provider credentials" });
    await functions.getByText("parley functions secret put API_TOKEN").waitFor();
    await providers.getByText("No credentials yet").waitFor();
    await expectAccessible(page);
    await functions.getByRole("button", { name: "Set secret" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("shop-token");
    await page.getByLabel("Value").fill("secret of the shop");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    // The server says how a name must look, with the id of the request.
    const alert = page.getByRole("dialog").getByRole("alert");
    expect(await alert.textContent()).toMatch(/name.*Request/);
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Name" }).fill("SHOP_TOKEN");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await functions.getByRole("button", { name: "Replace SHOP_TOKEN" }).click();
    await page.getByLabel("Value").fill("another secret");
    await page.getByRole("button", { name: "Replace", exact: true }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await providers.getByRole("button", { name: "Set credential" }).click();
    await page.getByRole("combobox", { name: "Provider" }).selectOption("Mistral");
    await page.getByLabel("API key").fill("sk-of-mistral");
    await page.getByRole("button", { name: "Set", exact: true }).click();
    await providers.getByRole("button", { name: "Remove Mistral" }).waitFor();
    await expectAccessible(page);
    expect(await page.content()).not.toMatch(/secret of the shop|another secret|sk-of-mistral/);
    const { functionSecrets } = await calls.rpc().functionSecrets.list.query({ wId: wId() });
    expect(functionSecrets.map(({ name }) => name)).toEqual(["SHOP_TOKEN"]);
    await functions.getByRole("button", { name: "Remove SHOP_TOKEN" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("SHOP_TOKEN");
    await page.getByRole("button", { name: "Remove secret" }).click();
    await functions.getByText("No secrets yet").waitFor();
    await providers.getByRole("button", { name: "Remove Mistral" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("Mistral");
    await page.getByRole("button", { name: "Remove credential" }).click();
    await providers.getByText("No credentials yet").waitFor();
  });

  it("changes settings, and enables models beside the others", async () => {
    const page = await opened().enter("/settings");
    const workspace = page.getByRole("region", { name: "Workspace" });
    const models = page.getByRole("region", { name: "Models" });
    await rowOf(page, "openai/gpt-5-mini").waitFor();
    const { storedBytesLimit } = await calls.rpc().workspaces.usage.query({ wId: wId() });
    const usage = page.getByRole("region", { name: "Usage" });
    await usage.getByText("Stored bytes", { exact: true }).waitFor();
    await usage.getByText(new Intl.NumberFormat("en").format(storedBytesLimit)).waitFor();
    await expectAccessible(page);
    const before = await calls.rpc().workspaces.get.query({ wId: wId() });
    await models.getByRole("button", { name: "Enable openai/gpt-5", exact: true }).click();
    await models.getByRole("button", { name: "Disable openai/gpt-5", exact: true }).waitFor();
    await models.getByRole("button", { name: "Enable another model" }).click();
    await expectAccessible(page);
    await page.getByRole("textbox", { name: "Model" }).fill("llama3.3");
    await page.getByRole("button", { name: "Enable", exact: true }).click();
    await rowOf(page, "openai_compatible/llama3.3").waitFor();
    const enabled = async () => (await calls.rpc().workspaces.get.query({ wId: wId() })).models;
    expect(await enabled()).toEqual([
      ...before.models,
      { providerId: "openai", modelId: "gpt-5" },
      { providerId: "openai_compatible", modelId: "llama3.3" },
    ]);
    for (const model of ["openai/gpt-5", "openai_compatible/llama3.3"]) {
      await models.getByRole("button", { name: `Disable ${model}`, exact: true }).click();
      await page.getByText(`${model} disabled`, { exact: true }).waitFor();
    }
    expect(await enabled()).toEqual(before.models);
    await workspace.getByRole("combobox", { name: "Region" }).selectOption("European Union");
    await workspace.getByRole("button", { name: "Save" }).click();
    await page.getByText("Settings saved", { exact: true }).waitFor();
    const { region, models: kept } = await calls.rpc().workspaces.get.query({ wId: wId() });
    expect([region, kept]).toEqual(["eu", before.models]);
    await workspace.getByRole("combobox", { name: "Region" }).selectOption("United States");
    await workspace.getByRole("button", { name: "Save" }).click();
  });

  it("adds and removes a member", async () => {
    const page = await opened().enter("/members");
    await page.getByRole("button", { name: "Add member" }).click();
    await expectAccessible(page);
    await page.getByLabel("E-mail").fill("grace@example.com");
    await page.getByLabel("First name").fill("Grace");
    await page.getByLabel("Last name").fill("Hopper");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await rowOf(page, "grace@example.com").waitFor();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Add member" }).click();
    await page.getByLabel("E-mail").fill("grace@example.com");
    await page.getByLabel("First name").fill("Grace");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page
      .getByRole("dialog")
      .getByRole("alert")
      .getByText("already has a member with this address")
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Remove Grace Hopper" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("grace@example.com");
    await page.getByRole("button", { name: "Remove member" }).click();
    await rowOf(page, "grace@example.com").waitFor({ state: "detached" });
  });

  it("creates a space, sets the keys with access, and deletes it with its contents", async () => {
    const page = await opened().enter("/spaces");
    await page.getByRole("button", { name: "Create space" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("Payroll");
    await page.getByRole("checkbox", { name: "Restricted" }).check();
    await page.getByRole("checkbox", { name: "demo user (user)" }).check();
    await page.getByRole("checkbox", { name: "demo admin (admin)" }).check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const row = rowOf(page, "Payroll");
    await row.getByText("restricted").waitFor();
    expect(await row.textContent()).toContain("demo user");
    await expectAccessible(page);
    await row.getByRole("button", { name: "Edit Payroll" }).click();
    await page.getByRole("checkbox", { name: "demo user (user)" }).uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await row.filter({ hasNotText: "demo user" }).getByText("demo admin").waitFor();
    const { spaces } = await calls.rpc().spaces.listAll.query({ wId: wId() });
    const spaceId = spaces.find(({ name }) => name === "Payroll")?.sId ?? "";
    await calls.rpc().dataSourceViews.create.mutate({ wId: wId(), spaceId, name: "Wages" });
    await row.getByRole("button", { name: "Delete Payroll" }).click();
    await page.getByRole("textbox", { name: /^Type/ }).fill("Payroll");
    await page.getByRole("button", { name: "Delete space" }).click();
    await page.getByRole("dialog").getByRole("alert").waitFor();
    await expectAccessible(page);
    await page.getByRole("checkbox", { name: "Delete its contents too" }).check();
    await page.getByRole("button", { name: "Delete space" }).click();
    await row.waitFor({ state: "detached" });
  });

  it("shows the audit log, with filters in the URL", async () => {
    for (const name of ["One", "Two"]) {
      await calls.rpc().spaces.create.mutate({ wId: wId(), name });
    }
    const page = await opened().enter("/audit");
    await rowOf(page, "spaces.create").first().waitFor();
    await expectAccessible(page);
    await typeFilter(page, "Operation", "spaces.create");
    await page.waitForURL(/action=spaces\.create/);
    // The focus returns to the chip, for users of the keyboard.
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await expect.poll(focused).toMatch(/^Operation spaces\.create/);
    const operations = async () => {
      const named = page.locator("tbody code", { hasText: /^\w+\.\w+$/ });
      return [...new Set(await named.allTextContents())];
    };
    await expect.poll(operations).toEqual(["spaces.create"]);
    await page.getByRole("link", { name: "demo admin" }).first().click();
    await page.waitForURL(/actor=key_/);
    await expect.poll(operations).toEqual(["spaces.create"]);
    await typeFilter(page, "To", "2020-01-01T00:00");
    await page.getByText("No matching entries").waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Clear filters" }).click();
    await page.getByRole("button", { name: "Operation …", exact: true }).waitFor();
    await rowOf(page, "spaces.create").first().waitFor();
  });

  it("shows keys of lower roles only their pages, and refuses the URLs of others", async () => {
    const named = { wId: wId(), name: "a builder", role: "builder" } as const;
    const { secret: key } = await calls.rpc().apiKeys.create.mutate(named);
    const builder = await opened().enter("/secrets", { key });
    await builder.getByRole("region", { name: "Function secrets" }).waitFor();
    expect(await builder.getByText("Model provider credentials").count()).toBe(0);
    const user = await opened().enter("/", { key: server().demo.userKey });
    const menu = (page: Page) => page.getByRole("navigation", { name: "Pages" });
    for (const name of ["Keys", "Members", "Spaces", "Audit log"]) {
      expect(await menu(builder).getByRole("link", { name }).count()).toBe(0);
      expect(await menu(user).getByRole("link", { name }).count()).toBe(0);
    }
    expect(await menu(user).getByRole("link", { name: "Secrets" }).count()).toBe(0);
    for (const path of ["/keys", "/settings", "/members", "/spaces", "/audit", "/secrets"]) {
      await user.goto(opened().url + path);
      await user.getByRole("heading", { name: "You don't have access to this page" }).waitFor();
    }
    await expectAccessible(user);
  });
});
