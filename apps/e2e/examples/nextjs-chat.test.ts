import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { findFreePort } from "@parley/db/testing";
import { agentMessages, createParley } from "parley-client";
import { afterAll, beforeAll, expect, test } from "vitest";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import type { Folder } from "../packaging/packed.ts";
import { endWithThisProcess } from "../programs.ts";
import { createPlace, eventually, openHostedServer, type Place, type Server } from "../server.ts";
import { copyExample } from "./copy-example.ts";

// The chat in Next.js, as it is built and started for users, in a browser.

const next = "node_modules/next/dist/bin/next";

let folder: Folder;
let place: Place;
let server: Server;
let app: ChildProcess | undefined;
let origin: string;

beforeAll(async () => {
  folder = await copyExample("nextjs-chat");
  const env = { PATH: "/usr/bin:/bin", NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  await promisify(execFile)(process.execPath, [next, "build"], { cwd: folder.path, env });
  const port = await findFreePort();
  origin = `http://127.0.0.1:${port}`;
  place = await createPlace();
  server = await openHostedServer(place, { PARLEY_CORS_ORIGINS: origin });
  const { url, workspaceId, userKey } = server.demo;
  const settings = {
    PARLEY_URL: url,
    PARLEY_WORKSPACE: workspaceId,
    PARLEY_API_KEY: userKey,
    PARLEY_AGENT_ID: "slowpoke",
  };
  app = spawn(process.execPath, [next, "start", "-p", String(port), "-H", "127.0.0.1"], {
    cwd: folder.path,
    env: { ...env, ...settings },
    stdio: "ignore",
  });
  endWithThisProcess(app);
  await eventually(async () => {
    const isThere = await fetch(origin).then(
      ({ ok }) => ok,
      () => false,
    );
    return isThere ? { value: true } : {};
  }, 30_000);
});

afterAll(async () => {
  if (app?.exitCode === null) {
    app.kill("SIGTERM");
    await once(app, "exit");
  }
  await server?.[Symbol.asyncDispose]();
  await folder?.[Symbol.asyncDispose]();
  await place?.[Symbol.asyncDispose]();
});

test("the page comes from the server, without the key of the workspace", async () => {
  const html = await (await fetch(origin)).text();
  expect(html).toContain("<form");
  expect(html).toContain(server.demo.workspaceId);
  expect(html).not.toContain(server.demo.userKey);
});

test.skipIf(!hasBrowser)(
  `a chat continues after the page is loaded again, with a token of the user${browserSuffix}`,
  { timeout: 120_000 },
  async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const keys = new Set<string>();
      page.on("request", (request) => {
        const { authorization } = request.headers();
        if (authorization !== undefined) keys.add(authorization);
      });
      await page.goto(origin);
      await page.getByLabel("Message").fill("Hello!");
      await page.getByRole("button", { name: "Send" }).click();
      await page.getByText("take my time").waitFor();
      await page.reload();
      await page.getByText("nothing is missing").waitFor();
      await expect.poll(() => page.getByRole("status").textContent()).toBe("ready");
      const answer = await page.locator('[data-type="agent_message"] p').textContent();
      expect(await page.locator("li").count()).toBe(2);

      const { url: baseUrl, workspaceId, userKey } = server.demo;
      expect([...keys].some((key) => key.includes(userKey))).toBe(false);
      const [token = ""] = [...keys].map((key) => key.replace("Bearer ", ""));
      const parley = createParley({ baseUrl, workspaceId, apiKey: token });
      const conversationId = new URL(page.url()).hash.slice(1);
      const { conversation } = await parley.conversations.get({ conversationId });
      expect(agentMessages(conversation)[0]?.content).toBe(answer);
    } finally {
      await browser.close();
    }
  },
);

test.skipIf(!hasBrowser)(
  `two people in two browsers do not see each other${browserSuffix}`,
  { timeout: 120_000 },
  async () => {
    const browser = await openBrowser();
    try {
      const openAs = async (user: string) => {
        const context = await browser.newContext();
        await context.addCookies([{ name: "user", value: user, url: origin }]);
        return context.newPage();
      };
      const [grace, alan] = [await openAs("grace"), await openAs("alan")];
      await grace.goto(origin);
      await grace.getByLabel("Message").fill("For my eyes only");
      await grace.getByRole("button", { name: "Send" }).click();
      await grace.getByText("For my eyes only").waitFor();
      await expect.poll(() => new URL(grace.url()).hash).not.toBe("");

      // Her conversation is unknown to him, with its address too.
      await alan.goto(grace.url());
      await alan.getByText("The workspace has no such conversation").waitFor();
      expect(await alan.locator("li").count()).toBe(0);
    } finally {
      await browser.close();
    }
  },
);
