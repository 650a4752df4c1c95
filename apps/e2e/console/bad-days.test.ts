import { randomUUID } from "node:crypto";
import { createRpcClient } from "parley-client";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { startFleet } from "../replicas/fleet.ts";
import { createPlace, shareServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { goTo } from "./go-to.ts";
import { chooseOfAccount, openConsole, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("two tabs of one browser", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("show the same: a call that is decided in one no longer waits in the other", async () => {
    const slug = `refund-${randomUUID()}`;
    const { workspaceId: wId } = server().demo;
    await calls.rpc().sandboxFunctions.create.mutate({
      wId,
      slug,
      description: "Refunds an order",
      program: { type: "simulated", behaviour: { steps: [], result: "{'refunded': orderId}" } },
      requiresApproval: true,
    });
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId,
      name: "Clerk",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      functionIds: [slug],
      script: {
        steps: [
          { text: "I check. ", toolCalls: [{ name: slug, params: { orderId: "1042" } }] },
          { text: "Result: {{result}}" },
        ],
      },
    });
    const { conversation } = await calls.create("Refund it", [agentConfiguration.sId]);
    const inbox = await opened().enter("/approvals");
    const talk = await inbox.context().newPage();
    await talk.goto(`${opened().url}/conversations/${conversation.sId}`);
    const approval = { name: /^Approval of/ };
    await inbox.getByRole("group", approval).waitFor();
    await talk.getByRole("group", approval).waitFor();
    await talk.getByRole("button", { name: "Approve", exact: true }).click();
    await talk.getByText(/Result: .*1042/).waitFor();
    await inbox.getByText("Nothing needs your attention").waitFor();
    expect(await inbox.getByRole("group", approval).count()).toBe(0);
  });

  it("end together: a sign-out in one is a sign-in page in the other", async () => {
    const first = await opened().enterAnew("/conversations");
    const second = await first.context().newPage();
    await second.goto(`${opened().url}/members`);
    await second.getByRole("heading", { name: "Members" }).waitFor();
    await chooseOfAccount(first, "Sign out");
    await first.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    await second.getByRole("heading", { name: "Sign in to Parley" }).waitFor();
    expect(await second.getByText("Your session has ended").count()).toBe(0);
    expect(new URL(second.url()).pathname).toBe("/sign-in");
    expect(await second.content()).not.toContain("Members");
  });
});

describe.skipIf(!hasBrowser)("a key that may not do something", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  it("is not offered it, and is refused it by the server", async () => {
    const { workspaceId: wId, userKey, url } = { ...server().demo, url: server().url };
    const agentId = await calls.createAgent("Guarded", {
      steps: [{ text: "Hello" }],
      tokenDelayMs: 0,
    });
    const rpc = createRpcClient({ url, apiKey: userKey });
    const forbidden = [
      {
        path: "/agents",
        offer: /New agent/,
        call: async () =>
          rpc.agents.create.mutate({
            wId,
            name: "x",
            description: "",
            model: { providerId: "simulated", modelId: "simulated-1" },
          }),
      },
      {
        path: `/agents/${agentId}`,
        offer: /Save|Archive/,
        call: async () => rpc.agents.archive.mutate({ wId, agentId }),
      },
      {
        path: "/skills",
        offer: /Import/,
        call: async () => rpc.skills.create.mutate({ wId, name: "x", agentFacingDescription: "x" }),
      },
      {
        path: "/data-sources",
        offer: /Create data source/,
        call: async () =>
          rpc.dataSourceViews.create.mutate({ wId, spaceId: server().demo.spaceId, name: "x" }),
      },
    ];
    const admin = await opened().enter("/no-access");
    const user = await opened().enter("/no-access", { key: userKey });
    for (const { path, offer, call } of forbidden) {
      const offered = async (page: typeof user) => {
        await goTo(page, path);
        const named = { name: offer };
        return page.getByRole("main").getByRole("button", named).or(page.getByRole("link", named));
      };
      await (await offered(admin)).first().waitFor();
      expect(await (await offered(user)).count(), path).toBe(0);
      await expect(call(), path).rejects.toThrow(/role|scope|key/i);
    }
  });
});

describe.skipIf(!hasBrowser)("a worker that is killed in mid-answer", () => {
  it("lets another one continue the answer in the open page, without a gap", async () => {
    await using place = await createPlace();
    await using fleet = await startFleet(
      place,
      { apis: 1, workers: 1 },
      { PARLEY_LEASE_MS: "3000" },
    );
    const server = { url: fleet.apis[0]?.url ?? "", demo: fleet.demo };
    const calls = createCalls(() => server);
    const words = Array.from({ length: 300 }, (_, index) => `w${index}`).join(" ");
    const agent = await calls.createAgent("Counting", {
      steps: [{ text: words }],
      tokenDelayMs: 10,
    });
    await using opened = await openConsole(server);
    const page = await opened.enter(`/conversations/new?agent=${agent}`);
    await page.getByRole("textbox", { name: "Message" }).fill("Count");
    await page.getByRole("button", { name: "Send" }).click();
    const answer = page.getByRole("article", { name: "Answer from Counting" });
    // A failure shows the actual text.
    await expect.poll(() => answer.innerText(), { timeout: 60_000 }).toContain("w20 ");
    await fleet.replaceWorker(0, "SIGKILL");
    await page.getByRole("button", { name: "Regenerate" }).waitFor({ timeout: 90_000 });
    expect(await answer.getByRole("paragraph").last().textContent()).toBe(words);
    const conversationId = new URL(page.url()).pathname.split("/").at(-1) ?? "";
    const [stored] = answersOf(await calls.get(conversationId));
    expect(stored).toMatchObject({ status: "succeeded", content: words });
    expect(opened.takeFaults()).toEqual([]);
  });
});
