import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** The headless shell is Chromium without the windows around its pages, which take four fifths of the processor. */
const files = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"] as const;
const executablePath = files.find((file) => existsSync(file));

/** Whether there is a browser to try pages in. */
export const hasBrowser = executablePath !== undefined;
/** Of the titles of tests that need a browser if there is none. */
export const browserSuffix = hasBrowser ? "" : ` (skipped: there is no ${files.join(" or ")})`;
if (!hasBrowser) console.warn(`Nothing is tried in a browser${browserSuffix}`);

/** Starts a browser, which the caller closes. */
export async function openBrowser(): Promise<Browser> {
  if (executablePath === undefined) throw new Error(`There is no ${files.join(" or ")}`);
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
