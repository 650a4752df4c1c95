import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("the inbox", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  const model = { providerId: "simulated", modelId: "simulated-1" };
  const wId = () => server().demo.workspaceId;

  /** Creates an agent that calls a function which requires approval. */
  async function createAgent(agentName: string, orderId: string): Promise<string> {
    const slug = `refund-${randomUUID()}`;
    await calls.rpc().sandboxFunctions.create.mutate({
      wId: wId(),
      slug,
      description: "Refunds an order",
      program: { type: "simulated", behaviour: { steps: [], result: "{'refunded': orderId}" } },
      requiresApproval: true,
    });
    const toolCalls = [{ name: slug, params: { orderId } }];
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: wId(),
      name: agentName,
      description: "",
      model,
      functionIds: [slug],
      script: { steps: [{ text: "I check. ", toolCalls }, { text: "Result: {{result}}" }] },
    });
    return agentConfiguration.sId;
  }

  /** Lets such an agent answer, and gives the conversation that waits. */
  async function ask(agentName: string, orderId: string): Promise<string> {
    const agentId = await createAgent(agentName, orderId);
    return (await calls.create("Refund it", [agentId])).conversation.sId;
  }

  const answered = async (cId: string) =>
    expect.poll(async () => answersOf(await calls.get(cId))[0]?.content).toContain("Result: ");
  const contentOf = async (cId: string) => answersOf(await calls.get(cId))[0]?.content;

  it("shows new waiting calls, and sends decisions", async () => {
    const page = await opened().enter("/approvals");
    await page.getByText("Nothing needs your attention").waitFor();
    await expectAccessible(page);
    const approved = await ask("Clerk", "1042");
    const rejected = await ask("Teller", "77");
    const changed = await ask("Banker", "8");
    await page.getByRole("status").getByText("3 pending").waitFor();
    await page.getByRole("link", { name: "Approvals 3 pending" }).waitFor();
    await expectAccessible(page);
    const item = (agent: string) =>
      page.getByRole("listitem").filter({ hasText: `Conversation with ${agent}` });
    await item("Clerk").getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByRole("status").getByText("2 pending").waitFor();
    await item("Teller").getByRole("button", { name: "Reject" }).click();
    await page.getByRole("status").getByText("1 pending").waitFor();
    await item("Banker").getByRole("button", { name: "Edit arguments" }).click();
    await item("Banker").getByLabel("Arguments (JSON)").fill('{"orderId": "9"}');
    await item("Banker").getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText("Nothing needs your attention").waitFor();
    await Promise.all([approved, rejected, changed].map(answered));
    expect(await contentOf(approved)).toContain("1042");
    expect(await contentOf(rejected)).not.toContain('refunded":"77');
    expect(await contentOf(changed)).toContain('"9"');
  });

  it("answers a question, and links to its conversation", async () => {
    const params = { question: "Which size?", options: [{ label: "Small" }, { label: "Large" }] };
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: wId(),
      name: "Asking",
      description: "",
      model,
      asksUser: true,
      script: {
        steps: [
          { text: "", toolCalls: [{ name: "ask_user", params }] },
          { text: "So: {{result}}" },
        ],
      },
    });
    await calls.create("Shoes", [agentConfiguration.sId]);
    const page = await opened().enter("/approvals?show=questions");
    await page.getByRole("radio", { name: "Large" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("link", { name: "Conversation with Asking" }).click();
    await page.getByRole("tab", { name: "Talk" }).waitFor();
    await page.goBack();
    await page.getByRole("radio", { name: "Large" }).check();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByText("Nothing needs your attention").waitFor();
  });

  it("announces a waiting call on any page, and says why a decision came too late", async () => {
    const page = await opened().enter("/conversations");
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    const cId = await ask("Late", "5");
    await page.getByText(/^Late is waiting for you: refund-/).waitFor();
    await page.getByRole("link", { name: "Approvals 1 pending" }).click();
    await page.getByRole("button", { name: "Approve", exact: true }).waitFor();
    // The next reads fail, so that the page still shows calls that are decided elsewhere.
    await page.route(/actions\.listBlocked/, (route) => route.abort());
    const { blockedActions } = await calls.rpc().actions.listBlocked.query({ wId: wId() });
    for (const { messageId, actionId } of blockedActions) {
      const json = { actionId, approved: "rejected" };
      await calls.call("POST", `/${cId}/messages/${messageId}/validate-action`, { json });
    }
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    const group = page.getByRole("group", { name: /^Approval of/ });
    expect(await group.getByRole("alert").textContent()).toMatch(/Request\s*\S+/);
    await page.unroute(/actions\.listBlocked/);
    await page.getByText("Nothing needs your attention").waitFor();
  });

  it("offers no decision to a token that may only read", async () => {
    const user = { wId: wId(), externalId: "reader" };
    const create = async (scopes: ("conversations:read" | "conversations:write")[]) =>
      (await calls.rpc().userTokens.create.mutate({ ...user, scopes })).secret;
    const agentId = await createAgent("Reader", "6");
    const message = { content: "Mine", mentions: [{ configurationId: agentId }] };
    const key = await create(["conversations:write"]);
    expect((await calls.call("POST", "", { key, json: { message } })).status).toBe(200);
    const page = await opened().enter("/approvals", { key: await create(["conversations:read"]) });
    await page.getByRole("group", { name: /^Approval of/ }).waitFor();
    expect(
      await page.getByRole("button", { name: /^(?:Approve|Always allow|Reject)/ }).count(),
    ).toBe(0);
  });
});
