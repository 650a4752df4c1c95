import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

/** The colours that are drawn in the canvas of a plot. */
async function coloursOf(page: Page): Promise<string[]> {
  return page
    .getByRole("region", { name: "Conversations" })
    .locator("canvas")
    .evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      const pixels = (canvas as HTMLCanvasElement)
        .getContext("2d")!
        .getImageData(0, 0, width, height).data;
      const opaque = new Set<string>();
      for (let at = 0; at < pixels.length; at += 4) {
        if (pixels[at + 3] === 255) opaque.add(pixels.slice(at, at + 3).join());
      }
      return [...opaque];
    });
}

describe.skipIf(!hasBrowser)("the overview", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("plots activity in both themes, with the numbers as tables", async () => {
    await calls.create("Hello");
    await calls.create("Hello again");
    const page = await opened().enterAnew("/overview", { colorScheme: "light" });
    await page.getByRole("img", { name: /^Conversations in the last hour.* peak 2$/ }).waitFor();
    expect(await page.getByRole("img", { name: / in the last hour/ }).count()).toBe(10);
    // The accent of each theme, in which the line is drawn.
    await expect.poll(async () => coloursOf(page)).toContain("29,78,216");
    await page.emulateMedia({ colorScheme: "dark" });
    await expect.poll(async () => coloursOf(page)).toContain("157,187,255");
    const numbers = page.getByRole("region", { name: "Conversations" });
    await numbers.getByText("Numbers").click();
    const rows = numbers.getByRole("group", { name: "Conversations, as numbers" }).getByRole("row");
    await expect.poll(() => rows.count()).toBe(61);
    const counted = await numbers.getByRole("cell").allTextContents();
    const sum = counted
      .filter((_, index) => index % 2 === 1)
      .reduce((all, n) => all + Number(n), 0);
    expect(sum).toBe(2);
    await expectAccessible(page);
    await page.getByRole("combobox", { name: "Period" }).selectOption("Last day");
    await expect.poll(() => rows.count()).toBe(97);
    expect(new URL(page.url()).search).toBe("?period=day");
  });

  it("shows operators the whole server", async () => {
    const page = await opened().enter("/overview", { key: server().demo.operatorKey });
    await page.getByRole("heading", { name: "Server overview" }).waitFor();
    const now = page.getByText("Oldest queued", { exact: true });
    await now.waitFor();
    await page.getByRole("img", { name: /^Open streams in the last hour/ }).waitFor();
    await expectAccessible(page);
  });
});
