import { randomUUID } from "node:crypto";
import { createRpcClient } from "parley-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import { approvingAgent } from "../client/approving-agent.ts";
import { type ServedPage, servePage } from "../serve-page.ts";
import { createPlace, openHostedServer, type Place, type Server } from "../server.ts";

// assistant-ui's own runtime for AG-UI in a browser, on a page of another origin, with the token of a user.

describe.skipIf(!hasBrowser)(
  `useAgUiRuntime in Chromium${browserSuffix}`,
  { timeout: 120_000 },
  () => {
    let place: Place;
    let served: ServedPage;
    let server: Server & AsyncDisposable;
    let browser: Browser;
    let token: string;
    beforeAll(async () => {
      place = await createPlace();
      served = await servePage(`${import.meta.dirname}/page/assistant-ui.ts`);
      server = await openHostedServer(place, { PARLEY_CORS_ORIGINS: served.origin });
      browser = await openBrowser();
      const { workspaceId: wId, adminKey: apiKey } = server.demo;
      const minted = await createRpcClient({ url: server.url, apiKey }).userTokens.create.mutate({
        wId,
        externalId: "ada",
        scopes: ["conversations:read", "conversations:write"],
      });
      token = minted.secret;
    });
    afterAll(async () => {
      await browser?.close();
      await server?.[Symbol.asyncDispose]();
      await served?.[Symbol.asyncDispose]();
      await place?.[Symbol.asyncDispose]();
    });

    async function open(agentId: string): Promise<Page> {
      const page = await browser.newPage();
      const { url, demo } = server;
      const path = `/api/v1/w/${demo.workspaceId}/assistant/agent_configurations/${agentId}/ag-ui`;
      const settings = { url: url + path, token, threadId: randomUUID() };
      await page.goto(`${served.origin}/#${encodeURIComponent(JSON.stringify(settings))}`);
      return page;
    }
    const click = (page: Page, name: string) => page.getByRole("button", { name }).click();
    async function send(page: Page, text: string): Promise<void> {
      await page.getByLabel("Message").fill(text);
      await click(page, "Send");
    }
    const answers = (page: Page) => page.getByTestId("assistant");

    test("messages are sent, and answers are shown as they come", async () => {
      const page = await open("slowpoke");
      await send(page, "Hello!");
      await answers(page).getByText("take my time").waitFor();
      expect(await answers(page).textContent()).not.toContain("nothing is missing");
      await answers(page).getByText("nothing is missing").waitFor();
      await send(page, "And again?");
      await expect.poll(() => answers(page).count()).toBe(2);
      await answers(page).nth(1).getByText("nothing is missing").waitFor();
      expect(await page.getByTestId("user").allTextContents()).toEqual(["Hello!", "And again?"]);
    });

    test.for([
      { act: "Approve", result: /refunded/, says: /Done: .*refunded/ },
      { act: "Reject", result: /rejected|denied/i, says: /Done: / },
    ])("a call is an interrupt, and its user can $act", async ({ act, result, says }) => {
      const page = await open(await approvingAgent(server));
      await send(page, "Refund me");
      await expect
        .poll(() => page.getByTestId("interrupts").textContent())
        .toMatch(/^Allow refund-/);
      const call = page.getByTestId("call");
      expect(JSON.parse((await call.textContent()) ?? "")).toEqual([
        expect.stringMatching(/^refund-/),
        { order: "4711" },
        null,
      ]);
      await click(page, act);
      await expect.poll(() => page.getByTestId("interrupts").textContent()).toBe("none");
      await expect.poll(() => call.textContent()).toMatch(result);
      await expect.poll(() => answers(page).last().textContent()).toMatch(says);
    });
  },
);
