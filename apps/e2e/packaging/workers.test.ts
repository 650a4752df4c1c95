import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Worker } from "node:worker_threads";
import type { Browser } from "playwright-core";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createFolder, type Folder, install, pack, publishedAs } from "./packed.ts";
import { useAnywhere, usedAnywhere } from "./users.ts";

// The packed client in workers: threads of Node, and both kinds that a browser has.

/** What both kinds of a browser's workers run: a service worker has a source of what it is sent. */
const inBrowser = `
import { useClient } from "./use.js";
self.onmessage = async ({ data, source }) => (source ?? self).postMessage(await useClient(data));
`;
const inThread = `
import { parentPort, workerData } from "node:worker_threads";
import { useClient } from "./use.js";
parentPort.postMessage(await useClient(workerData));
`;

/** A page, and the program of its workers once it is bundled. */
let script = "";
const pages = createServer(({ url }, response) => {
  const isScript = url === "/worker.js";
  response.setHeader("Content-Type", isScript ? "text/javascript" : "text/html");
  response.end(isScript ? script : "<!doctype html>");
}).listen(0, "127.0.0.1");
await once(pages, "listening");
const origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;

const server = shareServer({ PARLEY_CORS_ORIGINS: origin });
let packed: Folder;
let project: Folder;
beforeAll(async () => {
  packed = await createFolder();
  project = await createFolder();
  await install(project, await pack(publishedAs("parley-client"), packed));
  await project.write("use.js", useAnywhere);
  await project.write("thread.js", inThread);
  await project.write("browser.js", inBrowser);
  const input = path.join(project.path, "browser.js");
  const built = await rolldown({ input, platform: "browser", logLevel: "silent" });
  const { output } = await built.generate({ format: "esm" });
  script = output[0].code;
});
afterAll(async () => {
  pages.closeAllConnections();
  pages.close();
  await packed[Symbol.asyncDispose]();
  await project[Symbol.asyncDispose]();
});

test("it works in a thread of Node", async () => {
  const workerData = { ...server().demo };
  const thread = new Worker(path.join(project.path, "thread.js"), { workerData });
  const [used] = (await once(thread, "message")) as [unknown];
  expect(used).toEqual(usedAnywhere);
  await thread.terminate();
});

describe.skipIf(!hasBrowser)(`in Chromium${browserSuffix}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(async () => browser?.close());

  test("it works in a web worker", async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const used = await page.evaluate(async (demo) => {
      const worker = new globalThis.Worker("/worker.js", { type: "module" });
      return new Promise((resolve, reject) => {
        worker.addEventListener("message", ({ data }: MessageEvent) => resolve(data as unknown));
        worker.addEventListener("error", ({ message }) => reject(new Error(message)));
        worker.postMessage(demo, []);
      });
    }, server().demo);
    expect(used).toEqual(usedAnywhere);
    await page.close();
  });

  test("it works in a service worker", async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const used = await page.evaluate(async (demo) => {
      const { serviceWorker } = navigator;
      await serviceWorker.register("/worker.js", { type: "module" });
      const { active } = await serviceWorker.ready;
      return new Promise((resolve) => {
        serviceWorker.addEventListener("message", ({ data }: MessageEvent) =>
          resolve(data as unknown),
        );
        serviceWorker.startMessages();
        active?.postMessage(demo, []);
      });
    }, server().demo);
    expect(used).toEqual(usedAnywhere);
    await page.close();
  });
});
