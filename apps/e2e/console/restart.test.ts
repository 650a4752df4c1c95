import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { createPlace, openHostedServer, startServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { openConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("a server that is killed and started again", () => {
  it("lets a page continue the answer that was being written, without a gap", async () => {
    // A process of its own, since it is killed.
    await using place = await createPlace();
    const first = await startServer(place);
    const calls = createCalls(() => first);
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
    const agent = await calls.createAgent("Counting", {
      steps: [{ text: words }],
      tokenDelayMs: 10,
    });
    await using opened = await openConsole(first);
    const page = await opened.enterAnew(`/conversations/new?agent=${agent}`);
    await page.getByRole("textbox", { name: "Message" }).fill("Count");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("article", { name: "Answer from Counting" });
    await answer.getByText("w20 ").waitFor();
    await first.kill();
    await page.getByText("Connection lost").waitFor();
    await using second = await startServer(place, { PARLEY_PORT: new URL(first.url).port });
    await page.getByRole("button", { name: "Regenerate" }).waitFor({ timeout: 90_000 });
    expect(await answer.getByRole("paragraph").last().textContent()).toBe(words);
    expect(second.url).toBe(first.url);
    expect(opened.takeFaults()).toEqual([]);
  });

  it("lets a page that was not open yet wait for the server, and opens it then", async () => {
    // A process of its own, since it is killed.
    await using place = await createPlace();
    const first = await startServer(place);
    await using opened = await openConsole(first);
    const page = await opened.enterAnew("/conversations");
    await first.kill();
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Functions" })
      .click();
    await page.getByText("Cannot reach the server").waitFor();
    await using second = await startServer(place, { PARLEY_PORT: new URL(first.url).port });
    await page.getByRole("heading", { level: 1, name: "Functions" }).waitFor();
    expect(await page.getByText("Cannot reach the server").count()).toBe(0);
    expect(second.url).toBe(first.url);
  });

  it("reloads a page once by itself if its files are those of an older version", async () => {
    await using place = await createPlace();
    await using server = await openHostedServer(place);
    await using opened = await openConsole(server);
    const page = await opened.enterAnew("/conversations");
    let loads = 0;
    page.on("load", () => loads++);
    const isChunk = /\/assets\/list-page-[^/]+\.js$/;
    await page.route(isChunk, async (route) =>
      loads === 0 ? route.fulfill({ status: 404, body: "" }) : route.fallback(),
    );
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Functions" })
      .click();
    await page.getByRole("heading", { level: 1, name: "Functions" }).waitFor();
    expect(loads).toBe(1);

    // Files that are still not there lead to an error, and not to another reload.
    await page.route(isChunk, async (route) => route.fulfill({ status: 404, body: "" }));
    await page
      .getByRole("navigation", { name: "Pages" })
      .getByRole("link", { name: "Skills" })
      .click();
    await page.getByText("does not have this page's files").waitFor();
    expect(loads).toBe(1);
  });
});
