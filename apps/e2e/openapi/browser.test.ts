import os from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { createCalls } from "../siblings/calls.ts";

const events = "/api/v1/w/{wId}/assistant/conversations/{cId}/events";

const server = shareServer();

test.skipIf(!hasBrowser)(
  `a pasted key tries a call on /docs/api, with nothing from elsewhere${browserSuffix}`,
  async () => {
    const { url, demo } = server();
    const browser = await openBrowser();
    try {
      const page = await browser.newPage({ viewport: { width: 1200, height: 1600 } });
      // The page draws two hundred operations, on a machine that others use too.
      page.setDefaultTimeout(120_000);
      const faults: string[] = [];
      page.on("console", (said) => {
        if (said.type() === "error") faults.push(said.text());
      });
      page.on("pageerror", (error) => faults.push(String(error)));
      page.on("request", (request) => {
        const address = request.url();
        if (!address.startsWith(url) && !address.startsWith("data:")) faults.push(address);
      });
      await page.goto(`${url}/docs/api`);
      await page.locator(".authorize").first().click();
      await page.locator(".auth-container input").first().fill(demo.adminKey);
      await page.locator(".auth-btn-wrapper .authorize").first().click();
      await page.locator(".auth-btn-wrapper .btn-done").first().click();
      const openTag = (tag: string) => page.locator(`#operations-tag-${tag}`).click();
      await openTag("specified");
      const operation = page.locator('[id^="operations-specified-skills"]');
      await operation.locator(".opblock-summary-control").click();
      const workspace = operation.locator('tr[data-param-name="wId"] input');
      expect(await workspace.inputValue()).toBe(demo.workspaceId);
      await operation.locator(".execute").click();
      const status = operation.locator(".live-responses-table .response-col_status").last();
      await expect.poll(() => status.textContent(), { timeout: 60_000 }).toContain("200");
      const answer = operation.locator(".live-responses-table .response-col_description").last();
      expect(await answer.textContent()).toContain('"skills"');
      await page.screenshot({ path: path.join(os.tmpdir(), "parley-docs.png") });

      // The key stays for the tab, and the events of a stream that does not end are shown.
      await page.reload();
      const { conversation } = await createCalls(server).create("Hello!", ["helper"]);
      await openTag("conversations");
      const stream = page.locator(`.opblock:has([data-path="${events}"])`);
      await stream.locator(".opblock-summary-control").click();
      await stream.locator('tr[data-param-name="cId"] input').fill(conversation.sId);
      await stream.locator(".execute").click();
      const shown = stream.locator(".stream pre");
      await expect
        .poll(() => shown.textContent(), { timeout: 60_000 })
        .toContain("agent_message_done");
      await stream.locator(".stream button").click();
      await expect
        .poll(() => stream.locator(".live-responses-table").textContent())
        .toContain("200");
      expect(faults).toEqual([]);
    } finally {
      await browser.close();
    }
  },
  120_000,
);
