import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { createPlace, root, startServer } from "../../server.ts";
import { startShopServer } from "../../tools/shop-server.ts";
import { openConsole } from "../open-console.ts";
import { fillShop } from "./fill-shop.ts";
import { layoutFaults, widths } from "./layout-faults.ts";
import { pages } from "./pages.ts";
import { pictureOf, themes } from "./pictures.ts";
import type { ShownPage } from "./shown-page.ts";

const folder = path.join(root, "docs/console");
const beside = path.join(root, "node_modules/.cache/console-pictures");
const viewport = { width: 1280, height: 860 };
/** Where text stays readable and a page has about 25 KB. */
const QUALITY = 43;

// Not a test of its own: `pnpm console:screenshots` runs it, which writes the pictures.
test(
  "each page fits a desk, a tablet and a phone, and has its picture taken in both themes",
  { timeout: 900_000 },
  async () => {
    await using place = await createPlace({ isEmbedded: true });
    await using shop = await startShopServer();
    await using server = await startServer(place, { PARLEY_PRIVATE_HOSTS: "127.0.0.1" });
    const ids = await fillShop(server, shop);
    await using opened = await openConsole(server);
    await mkdir(folder, { recursive: true });
    await mkdir(beside, { recursive: true });
    const faults = new Set<string>();
    for (const picture of await listPictures()) await rm(path.join(folder, picture));
    for (const theme of themes) {
      const options = { viewport, colorScheme: theme, timezoneId: "Europe/Paris", locale: "en-GB" };
      const visitor = await opened.visit(options);
      const admin = await opened.enterAnew("/", options);
      const operator = await opened.enterAnew("/", { ...options, key: server.demo.operatorKey });
      const pageFor = ({ keys }: ShownPage): Page => {
        if (keys === undefined) return visitor;
        return keys.includes("admin") ? admin : operator;
      };
      for (const shown of pages) {
        const page = pageFor(shown);
        await page.goto(opened.url + shown.pathOf(ids));
        await page.getByRole("heading", { level: 1 }).waitFor();
        await settle(page);
        await writeFile(path.join(folder, pictureOf(shown, theme)), await takePicture(page));
        for (const width of widths) {
          await page.setViewportSize({ width, height: viewport.height });
          for (const fault of await layoutFaults(page)) {
            faults.add(`${shown.name} at ${width} px ${fault}`);
          }
          await keepBeside(page, `${shown.name}-${width}-${theme}`);
        }
        await page.setViewportSize(viewport);
      }
    }
    expect([...faults]).toEqual([]);
    expect(await listPictures()).toHaveLength(pages.length * themes.length);
    expect(opened.takeFaults()).toEqual([]);
  },
);

async function listPictures(): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.endsWith(".webp"));
}

/** Waits until nothing is loaded any more, and no news covers the page. */
async function settle(page: Page): Promise<void> {
  await expect.poll(() => page.locator("[aria-busy=true], [aria-label^=Loading]").count()).toBe(0);
  await page.evaluate(async () => document.fonts.ready);
  await page.mouse.move(0, 0);
  await page.evaluate(
    async () =>
      new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
}

async function takePicture(page: Page): Promise<Buffer> {
  const devTools = await page.context().newCDPSession(page);
  const { data } = await devTools.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  await devTools.detach();
  return Buffer.from(data, "base64");
}

/** Keeps a picture of each width too, outside of the repository: to compare two versions of the console. */
async function keepBeside(page: Page, name: string): Promise<void> {
  await settle(page);
  await writeFile(path.join(beside, `${name}.webp`), await takePicture(page));
}
