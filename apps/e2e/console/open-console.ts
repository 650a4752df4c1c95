import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect } from "vitest";
import { hasBrowser, openBrowser } from "../browser.ts";
import type { Server } from "../server.ts";
import { startTcpProxy } from "../replicas/tcp-proxy.ts";
import { goTo, startAnew } from "./go-to.ts";

const viewport = { width: 1200, height: 900 };

/** The console of a server, in a browser. */
export interface OpenConsole extends AsyncDisposable {
  readonly url: string;
  /** Breaks every connection to the server, also those of streams; new ones are passed on. */
  readonly breakConnections: () => void;
  /** Opens a tab of a new visitor; its faults count until the console is closed. */
  readonly visit: (options?: BrowserContextOptions) => Promise<Page>;
  /** Opens a tab of a new visitor who has signed in, at a path. */
  readonly enterAnew: (
    path: string,
    options?: BrowserContextOptions & { key?: string },
  ) => Promise<Page>;
  /** Brings the tab of a key to a path, with nothing left of what it showed; it signs in only once. */
  readonly enter: (path: string, options?: { key?: string }) => Promise<Page>;
  /** Closes the tabs of the keys. */
  readonly leave: () => Promise<void>;
  /** Errors that pages have logged or thrown since the last call, and their requests to other origins. */
  readonly takeFaults: () => string[];
}

/** Opens the console of a server in a browser. */
export async function openConsole(server: Pick<Server, "url" | "demo">): Promise<OpenConsole> {
  const proxy = await startTcpProxy(Number(new URL(server.url).port));
  const url = `http://127.0.0.1:${proxy.port}`;
  const browser = await openBrowser();
  const faults: string[] = [];
  const visit = async (options: BrowserContextOptions = {}) => {
    const context = await browser.newContext({
      viewport,
      reducedMotion: "reduce",
      ...options,
    });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    page.on("console", (said) => {
      // A refused request is not a fault of the page.
      const isRefusal = said.text().startsWith("Failed to load resource");
      if (said.type() === "error" && !isRefusal) faults.push(said.text());
    });
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("request", (request) => {
      if (!/^(?:blob|data):/.test(request.url()) && !request.url().startsWith(url)) {
        faults.push(`requested ${request.url()}`);
      }
    });
    return page;
  };
  const { adminKey } = server.demo;
  const enterAnew: OpenConsole["enterAnew"] = async (path, { key = adminKey, ...options } = {}) => {
    const page = await visit(options);
    await page.goto(url + path);
    await page.getByLabel("Key", { exact: true }).fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("main").getByRole("heading", { level: 1 }).waitFor();
    await page.getByLabel("Key", { exact: true }).waitFor({ state: "detached" });
    return page;
  };
  /** The tab of each key. */
  const tabs = new Map<string, Page>();
  return {
    url,
    breakConnections: proxy.reset,
    takeFaults: () => faults.splice(0),
    visit,
    enterAnew,
    enter: async (path, { key = adminKey } = {}) => {
      const open = tabs.get(key);
      if (open !== undefined) {
        await open.setViewportSize(viewport);
        await startAnew(open);
        await goTo(open, path);
        return open;
      }
      const page = await enterAnew(path, { key });
      tabs.set(key, page);
      return page;
    },
    leave: async () => {
      for (const page of tabs.values()) await page.context().close();
      tabs.clear();
    },
    [Symbol.asyncDispose]: async () => {
      await browser.close();
      await proxy[Symbol.asyncDispose]();
    },
  };
}

/** Opens the menu of the account, and chooses of it. */
export async function chooseOfAccount(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("menuitem", { name }).click();
}

/**
 * Opens the console for the tests of a file, and expects after each that no page had a fault. The tests share the tab
 * of each key, unless one of them has failed.
 */
export function shareConsole(server: () => Server): () => OpenConsole {
  let open: OpenConsole | undefined;
  beforeAll(async () => {
    if (hasBrowser) open = await openConsole(server());
  });
  const expectNone = () => expect(open?.takeFaults().join("\n") ?? "").toBe("");
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") await open?.leave();
    expectNone();
  });
  afterAll(async () => {
    await open?.[Symbol.asyncDispose]();
    expectNone();
  });
  return () => {
    if (open === undefined) throw new Error("The console of this file is not open");
    return open;
  };
}

/** The shorter source of axe, which each document has to load. */
const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const axeSource = readFileSync(axeFile, "utf8");

/** The rules that another theme can break: `light-dark()` of styles.css changes only colours. */
const colourRules = ["color-contrast", "link-in-text-block"];

/**
 * Expects that axe finds nothing on a page, in light and dark, and that nothing is wider than it. In
 * dark, only rules about colours run.
 */
export async function expectAccessible(page: Page): Promise<void> {
  // As a source, since the policy of the page lets nobody add a script to it. A document keeps it.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axeSource);
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const found = await page.evaluate(
      async (only) => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run(only);
        // Nothing else leaves the page: all that axe approves of is what takes longest to hand over.
        return violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) }));
      },
      // Of what a rule approves of, axe describes one node instead of each.
      {
        resultTypes: ["violations" as const],
        ...(colorScheme === "dark" && { runOnly: colourRules }),
      },
    );
    expect(found, `${page.url()} in ${colorScheme}`).toEqual([]);
  }
  await expectNoScroll(page);
}

/** Expects that a page needs no scrolling sideways, on the narrowest screens and on wide ones. */
async function expectNoScroll(page: Page): Promise<void> {
  const before = page.viewportSize();
  for (const width of [320, 1600]) {
    await page.setViewportSize({ width, height: 640 });
    const { scrollWidth, clientWidth } = await page.evaluate(() => {
      const { documentElement: all } = document;
      return { scrollWidth: all.scrollWidth, clientWidth: all.clientWidth };
    });
    expect(scrollWidth, `width of ${page.url()}`).toBeLessThanOrEqual(clientWidth);
  }
  if (before !== null) await page.setViewportSize(before);
}
