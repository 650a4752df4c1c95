import { globSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import { ensureSite } from "../build-site.ts";
import { openHostedServer, root, createPlace, type Place, type Server } from "../server.ts";
import { readSite, type Site } from "./read-site.ts";

/** What a team asks, in the words that it types, and the page that answers. */
const questions = [
  ["back up", "operations"],
  ["upgrade", "upgrade"],
  ["Anthropic", "models"],
  ["limit cost", "guide/budgets"],
  ["memory for each user", "guide/memory"],
  ["S3", "guide/files"],
  ["Docker", "kubernetes"],
  ["Kubernetes", "kubernetes"],
  ["rotate keys", "administration"],
  ["what the model was sent", "guide/conversations"],
  ["stream in Python", "guide/python"],
  ["webhook when done", "guide/webhooks"],
  ["schedule daily", "guide/schedules"],
  ["evaluate answers", "guide/evaluate-and-test"],
  ["Langfuse", "guide/traces"],
  ["OTel", "guide/traces"],
  ["restrict tools", "guide/tools"],
  ["tests of an agent", "guide/evaluate-and-test"],
  ["import from another system", "guide/import"],
  ["delete a user's data", "guide/privacy-and-erasure"],
  ["proxy", "operations"],
  ["high availability", "high-availability"],
] as const;
const MAX_CLICKS = 3;

describe("the documentation as a site", () => {
  const stack = new AsyncDisposableStack();
  let server: Server;
  let site: Site;

  beforeAll(async () => {
    await ensureSite(inject("build"));
    const place: Place = stack.use(await createPlace());
    server = stack.use(await openHostedServer(place));
    site = await readSite(`${server.url}/docs/`);
  }, 180_000);
  afterAll(() => stack.disposeAsync());

  test("has a page for each document, and no link that leads nowhere", () => {
    const documents = globSync("**/*.md", { cwd: path.join(root, "docs") });
    const paths = documents.map((file) => `${file.replace(/(?:^|(?<=\/))README\.md$|\.md$/, "")}/`);
    const expected = [...paths.map((name) => name.replace(/^\/$|\/(?=\/$)/, "")), "start/"];
    expect([...site.pages.keys()].toSorted()).toEqual(expected.toSorted());
    expect(site.links).toBeGreaterThan(2000);
    expect(site.broken).toEqual([]);
  });

  test.for([...new Set(questions.map(([, page]) => page))])(
    "%s is at most three clicks from the front page",
    (page) => {
      expect(site.clicksTo(page)).toBeGreaterThan(0);
      expect(site.clicksTo(page)).toBeLessThanOrEqual(MAX_CLICKS);
    },
  );

  test("has each page as Markdown, to which a list for programs leads", async () => {
    const front = `${server.url}/docs/`;
    const waiting = [`${front}llms.txt`];
    const found = new Set(waiting);
    const missing = [];
    for (const url of waiting) {
      const response = await fetch(url);
      const text = await response.text();
      const isMarkdown = /^text\/(?:markdown|plain); charset=utf-8$/.test(
        response.headers.get("content-type") ?? "",
      );
      if (!response.ok || !isMarkdown || !/^# \S/m.test(text)) missing.push(url);
      for (const [, target = ""] of text.matchAll(/\]\(([^()\s#]+\.md)(?:#[^()\s]*)?\)/g)) {
        const { href } = new URL(target, url);
        if (!found.has(href)) waiting.push(href);
        found.add(href);
      }
    }
    expect(missing).toEqual([]);
    expect(found.size).toBe(site.pages.size + 1);
  });

  describe.skipIf(!hasBrowser)(`in a browser${browserSuffix}`, () => {
    let browser: Browser;
    /** What no page may do. */
    const faults: string[] = [];

    beforeAll(async () => {
      browser = await openBrowser();
    });
    afterAll(() => browser.close());

    async function open(place: string, colorScheme: "light" | "dark" = "light"): Promise<Page> {
      const page = await browser.newPage({ colorScheme });
      page.on("request", (request) => {
        if (!request.url().startsWith(server.url)) faults.push(`asked for ${request.url()}`);
      });
      page.on("console", (message) => {
        if (message.type() === "error") faults.push(`${place}: ${message.text()}`);
      });
      page.on("pageerror", (error) => faults.push(`${place}: ${error.message}`));
      await page.goto(`${server.url}/docs/${place}`, { waitUntil: "networkidle" });
      return page;
    }

    test("asks no other server, and logs no error", async () => {
      faults.length = 0;
      for (const place of ["", "guide/webhooks/", "concepts/events-logs-streams/", "console/"]) {
        const page = await open(place);
        expect(await page.title()).toContain("Parley");
        await page.close();
      }
      expect(faults).toEqual([]);
    });

    test("shows an example in one language, beside the names of the others", async () => {
      const page = await open("start/");
      const tabs = page.locator(".tabs").first();
      const code = (text: string) => tabs.getByText(text).first();
      expect(await code("curl -s").isVisible()).toBe(true);
      expect(await code("import json").isVisible()).toBe(false);
      const tops = await tabs
        .locator("summary")
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
      expect(tops).toHaveLength(4);
      expect(new Set(tops).size).toBe(1);
      await tabs.getByText("Python", { exact: true }).click();
      expect(await code("import json").isVisible()).toBe(true);
      expect(await code("curl -s").isVisible()).toBe(false);
      await page.close();
    });

    test("has a page for what is not there, with 404", async () => {
      const page = await browser.newPage();
      const response = await page.goto(`${server.url}/docs/nothing/like/this/`);
      expect(response?.status()).toBe(404);
      expect(await page.locator("h1").textContent()).toContain("404");
      await page.close();
    });

    test("is light or dark, as its reader's system is", async () => {
      const seen = [];
      for (const scheme of ["light", "dark"] as const) {
        const page = await open("concepts/events-logs-streams/", scheme);
        seen.push(await lookAt(page, "main img"));
        await page.close();
      }
      const [light, dark] = seen;
      expect(light?.background).toBeGreaterThan(0.9);
      expect(dark?.background).toBeLessThan(0.2);
      // Lines and letters stand out from what the picture is on.
      expect(light?.drawn).toBeGreaterThan(0.01);
      expect(dark?.drawn).toBeGreaterThan(0.01);
    });

    test("finds the page that answers a question by its words, among the first three", async () => {
      faults.length = 0;
      const page = await open("");
      await page.getByRole("button", { name: /Search/ }).click();
      const missed = [];
      for (const [words, wanted] of questions) {
        const found = await search(page, words);
        if (!found.slice(0, 3).includes(`/docs/${wanted}/`)) missed.push({ words, wanted, found });
      }
      await page.close();
      expect(missed).toEqual([]);
      expect(faults).toEqual([]);
    }, 60_000);
  });
});

/** The paths of the pages that a search shows first. */
async function search(page: Page, words: string): Promise<string[]> {
  const input = page.locator(".pagefind-ui__search-input");
  await input.fill("");
  await input.fill(words);
  await page.locator(".pagefind-ui__message", { hasText: `for ${words}` }).waitFor();
  const titles = page.locator(
    ".pagefind-ui__result-title:not(.pagefind-ui__result-nested .pagefind-ui__result-title) a",
  );
  // Each result is loaded by itself.
  await titles.first().waitFor();
  await page.waitForFunction(() => document.querySelector(".pagefind-ui__loading") === null);
  const hrefs = await titles.evaluateAll((links) =>
    links.map((link) => (link as HTMLAnchorElement).href),
  );
  return hrefs.map((href) => new URL(href).pathname);
}

/** How light an element's first pixel is, from 0 to 1, and the share of pixels that differ from it by a half. */
async function lookAt(
  page: Page,
  selector: string,
): Promise<{ background: number; drawn: number }> {
  const image = await page.locator(selector).first().screenshot({ type: "png" });
  return page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
    if (context === null) throw new Error("There is no canvas");
    context.drawImage(bitmap, 0, 0);
    const { data } = context.getImageData(0, 0, bitmap.width, bitmap.height);
    const green = data.filter((_, index) => index % 4 === 1);
    const [first = 0] = green;
    const drawn = green.filter((value) => Math.abs(value - first) > 128).length;
    return { background: first / 255, drawn: drawn / green.length };
  }, image.toString("base64"));
}
