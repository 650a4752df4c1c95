import { agentMessages, createParley } from "parley-client";
import { expect, test } from "vitest";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import { createPlace, openHostedServer } from "../server.ts";
import { apiOf } from "./chats.ts";
import { servePage } from "../serve-page.ts";

test.skipIf(!hasBrowser)(
  `assistant-ui sends messages, shows answers and has them given again${browserSuffix}`,
  { timeout: 120_000 },
  async () => {
    await using place = await createPlace();
    await using served = await servePage(`${import.meta.dirname}/page/assistant-ui.ts`);
    await using server = await openHostedServer(place, { PARLEY_CORS_ORIGINS: served.origin });
    const { url: baseUrl, workspaceId, userKey: token } = server.demo;
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const settings = { api: apiOf(server, "slowpoke"), token };
      await page.goto(`${served.origin}/#${encodeURIComponent(JSON.stringify(settings))}`);
      const answers = page.getByTestId("assistant");
      const send = async (text: string) => {
        await page.getByLabel("Message").fill(text);
        await page.getByRole("button", { name: "Send" }).click();
      };
      await send("Hello!");
      await answers.getByText("take my time").waitFor();
      await answers.getByText("nothing is missing").waitFor();
      await send("And again?");
      await expect.poll(() => answers.count()).toBe(2);
      await answers.nth(1).getByText("nothing is missing").waitFor();
      await page.getByRole("button", { name: "Again" }).nth(1).click();

      const parley = createParley({ baseUrl, workspaceId, apiKey: token });
      const { conversations } = await parley.conversations.list();
      expect(conversations).toHaveLength(1);
      const { sId: conversationId = "" } = conversations[0] ?? {};
      const read = async () =>
        agentMessages((await parley.conversations.get({ conversationId })).conversation);
      await expect.poll(read, { timeout: 30_000 }).toMatchObject([
        { version: 0, status: "succeeded" },
        { version: 1, status: "succeeded" },
      ]);
      const [, last] = await read();
      await expect.poll(() => answers.nth(1).textContent()).toBe(last!.content);
      expect(await page.getByTestId("user").allTextContents()).toEqual(["Hello!", "And again?"]);
    } finally {
      await browser.close();
    }
  },
);
