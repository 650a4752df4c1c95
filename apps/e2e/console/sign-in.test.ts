import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { chooseOfAccount, expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("signing in", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("a key opens the page that was asked for, and a wrong one says why not", async () => {
    const page = await opened().visit();
    await page.goto(`${opened().url}/conversations?size=50`);
    await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    await expectAccessible(page);
    await page.getByLabel("Key", { exact: true }).fill("sk-wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    const alert = page.getByRole("alert");
    await alert.getByText("Sign-in failed").waitFor();
    expect(await alert.textContent()).toMatch(/Request\s*\S+/);
    await page.getByLabel("Key", { exact: true }).fill(server().demo.userKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    expect(page.url()).toBe(`${opened().url}/conversations?size=50`);
    expect(await page.title()).toBe("Conversations · Parley");
  });

  it("a session that has ended leads to the sign-in, and from there back", async () => {
    const { workspaceId: wId, adminKey } = server().demo;
    const named = { wId, name: "short", role: "user" } as const;
    const { apiKey, secret: key } = await calls.rpc().apiKeys.create.mutate(named);
    const page = await opened().enterAnew("/conversations", { key });
    await page.getByRole("link", { name: "New conversation" }).click();
    await page.getByRole("heading", { name: "New conversation" }).waitFor();
    await calls.rpc().apiKeys.revoke.mutate({ wId, keyId: apiKey.sId });
    await page.getByRole("textbox", { name: "Message" }).fill("Hello");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("Your session has ended").waitFor();
    await expectAccessible(page);
    await page.getByLabel("Key", { exact: true }).fill(adminKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "New conversation" }).waitFor();
  });

  it("signing out ends the session", async () => {
    const page = await opened().enterAnew("/conversations");
    await chooseOfAccount(page, "Sign out");
    await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    await page.goto(`${opened().url}/conversations`);
    await page.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    expect(page.url()).toBe(`${opened().url}/sign-in?next=%2Fconversations`);
  });

  it("a link with a one-time code signs in, and keeps nothing of it", async () => {
    const page = await opened().visit();
    const { code } = await calls.rpc().session.createCode.mutate({});
    await page.goto(`${opened().url}/#code=${code}`);
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    expect(page.url()).toBe(`${opened().url}/conversations`);
    await page.goBack().catch(() => null);
    expect(page.url()).not.toContain("code");
  });

  it("operators see only their pages, and users none of those", async () => {
    const operators = await opened().enterAnew("/", { key: server().demo.operatorKey });
    await operators.getByRole("heading", { name: "Workspaces" }).waitFor();
    const links = operators.getByRole("navigation", { name: "Pages" }).getByRole("link");
    const names = ["Overview", "Runs", "Usage", "Audit log", "Workspaces", "Operator keys"];
    expect(await links.allTextContents()).toEqual(names);
    await operators.getByRole("cell", { name: "Demo", exact: true }).waitFor();
    await expectAccessible(operators);
    const users = await opened().enterAnew("/", { key: server().demo.userKey });
    const pages = users.getByRole("navigation", { name: "Pages" });
    expect(await pages.getByRole("link", { name: "Workspaces" }).count()).toBe(0);
  });

  it("the page is coloured as its reader chooses, in the next visit too", async () => {
    const page = await opened().enterAnew("/conversations", { colorScheme: "light" });
    const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(await background()).toBe("rgb(255, 255, 255)");
    await chooseOfAccount(page, "Theme: System");
    await page.getByRole("menuitem", { name: "Theme: Light" }).click();
    await page.getByRole("menuitem", { name: "Theme: Dark" }).waitFor();
    await page.getByRole("menuitem", { name: "Density: Comfortable" }).click();
    await page.getByRole("menuitem", { name: "Density: Compact" }).waitFor();
    expect(await background()).toBe("rgb(15, 18, 22)");
    await page.reload();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    expect(await background()).toBe("rgb(15, 18, 22)");
    expect(await page.locator("html").getAttribute("data-density")).toBe("compact");
  });

  it("a browser has several sessions, and each tab acts with one of them", async () => {
    const { adminKey, userKey } = server().demo;
    const page = await opened().enterAnew("/members", { key: adminKey });
    await chooseOfAccount(page, "Add another key");
    await page.getByRole("heading", { name: "Already signed in" }).waitFor();
    await page.getByLabel("Key", { exact: true }).fill(userKey);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("button", { name: "Account: Demo demo user · user" }).waitFor();
    const other = await page.context().newPage();
    await other.goto(`${opened().url}/conversations`);
    await chooseOfAccount(other, "Demo demo admin");
    await other.getByRole("button", { name: "Account: Demo demo admin · admin" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "Account: Demo demo user · user" }).waitFor();
    await chooseOfAccount(page, "Sign out");
    await page.getByRole("button", { name: "Demo demo admin" }).click();
    await page.getByRole("button", { name: "Account: Demo demo admin · admin" }).waitFor();
    const kept = await page.context().cookies();
    expect(kept.map(({ httpOnly }) => httpOnly)).toEqual([true]);
  });

  it("the keyboard skips to the content, and a narrow page has a menu", async () => {
    const page = await opened().enterAnew("/conversations", {
      viewport: { width: 320, height: 640 },
    });
    await page.reload();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => document.activeElement?.id)).toBe("content");
    await page.getByRole("button", { name: "Menu" }).click();
    const menu = page.getByRole("dialog");
    await expectAccessible(page);
    await menu.getByRole("link", { name: "Conversations" }).click();
    await menu.waitFor({ state: "detached" });
  });

  it("an unknown URL shows that no page was found", async () => {
    const page = await opened().enterAnew("/nowhere");
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Go home" }).click();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
  });
});
