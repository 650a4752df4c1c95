import type { UIMessage } from "ai";
import { createRpcClient } from "parley-client";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { browserSuffix, hasBrowser, openBrowser } from "../browser.ts";
import { approvingAgent } from "../client/approving-agent.ts";
import { createPlace, type Place, type ServerProcess, startServer } from "../server.ts";
import { apiOf } from "./chats.ts";
import { type ServedPage, servePage } from "../serve-page.ts";

// `useChat` in a browser, on a page of another origin, with the token of a user.

describe.skipIf(!hasBrowser)(`useChat in Chromium${browserSuffix}`, { timeout: 120_000 }, () => {
  let place: Place;
  let served: ServedPage;
  let server: ServerProcess;
  let browser: Browser;
  let token: string;
  beforeAll(async () => {
    place = await createPlace();
    served = await servePage(`${import.meta.dirname}/page/page.ts`);
    server = await start();
    browser = await openBrowser();
    const { workspaceId: wId, adminKey } = server.demo;
    const rpc = createRpcClient({ url: server.url, apiKey: adminKey });
    const scopes = ["conversations:read", "conversations:write"] as const;
    const minted = await rpc.userTokens.create.mutate({
      wId,
      externalId: "ada",
      scopes: [...scopes],
    });
    token = minted.secret;
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    await served?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  const start = (port = "0") =>
    startServer(place, { PARLEY_CORS_ORIGINS: served.origin, PARLEY_PORT: port });

  let chats = 0;
  async function open(agentId: string, chatId = `chat-${++chats}`): Promise<Page> {
    const page = await browser.newPage();
    const settings = { api: apiOf(server, agentId), token, chatId };
    await page.goto(`${served.origin}/#${encodeURIComponent(JSON.stringify(settings))}`);
    return page;
  }
  const click = (page: Page, name: string) =>
    page.getByRole("button", { name, exact: true }).click();
  const shows = (page: Page, id: string, text: string | RegExp) =>
    expect.poll(() => page.getByTestId(id).textContent(), { timeout: 30_000 }).toMatch(text);
  const messagesOf = async (page: Page) =>
    JSON.parse((await page.getByTestId("messages").textContent()) ?? "") as UIMessage[];
  /** A message without what differs between two chats. */
  const contentOf = ({ role, parts }: UIMessage) => ({ role, parts });

  test("a chat is sent, streamed, loaded again in mid-stream, given again and edited", async () => {
    const page = await open("slowpoke");
    await click(page, "send");
    await shows(page, "answer", /take my time/);
    await page.reload();
    await shows(page, "status", "streaming");
    await shows(page, "answer", /nothing is missing/);
    await shows(page, "status", "ready");
    await shows(page, "roles", /^user,assistant$/);
    const [, first] = await messagesOf(page);

    await click(page, "regenerate");
    await shows(page, "status", "streaming");
    await shows(page, "status", "ready");
    const [, second] = await messagesOf(page);
    expect(second!.id).not.toBe(first!.id);
    expect(contentOf(second!)).toEqual(contentOf(first!));

    // The ids of a page that was loaded again are the server's.
    await page.reload();
    await shows(page, "roles", /^user,assistant$/);
    await shows(page, "status", "ready");
    await click(page, "edit");
    await shows(page, "status", "streaming");
    await shows(page, "status", "ready");
    await shows(page, "error", "none");
    await page.reload();
    await shows(page, "roles", /^user,assistant$/);
    const [edited, answer] = await messagesOf(page);
    expect(edited!.parts).toEqual([{ type: "text", text: "Goodbye!" }]);
    expect(answer!.id).not.toBe(second!.id);
  });

  test.for([
    { act: "approve", state: "output-available" },
    { act: "reject", state: "output-denied" },
  ])(
    "a call waits for its user to $act, also on a page that is loaded again",
    async ({ act, state }) => {
      const page = await open(await approvingAgent(server));
      await click(page, "send");
      await shows(page, "call", "approval-requested");
      await shows(page, "status", "ready");
      await page.reload();
      await shows(page, "call", "approval-requested");
      await shows(page, "status", "ready");
      await click(page, act);
      await shows(page, "call", state);
      await shows(page, "answer", /Done/);
      await shows(page, "status", "ready");
      expect(await page.getByTestId("error").textContent()).toBe("none");
    },
  );

  test("a server that is killed in mid-stream costs no word: the page resumes by a replay", async () => {
    const undisturbed = await open("slowpoke");
    await click(undisturbed, "send");
    const page = await open("slowpoke");
    await click(page, "send");
    await shows(undisturbed, "answer", /nothing is missing/);
    await shows(undisturbed, "status", "ready");
    await shows(page, "status", "ready");

    await click(page, "send");
    await shows(page, "answer", /take my time/);
    const { port } = new URL(server.url);
    await server.kill();
    await shows(page, "status", "error");
    server = await start(port);
    await click(page, "resume");
    await shows(page, "answer", /nothing is missing/);
    await shows(page, "status", "ready");
    const whole = (await messagesOf(undisturbed)).map(contentOf);
    expect((await messagesOf(page)).map(contentOf)).toEqual([...whole, ...whole]);
  });
});
