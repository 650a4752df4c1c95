import { randomUUID } from "node:crypto";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { hasBrowser } from "../browser.ts";
import { shareServer } from "../server.ts";
import { answersOf, createCalls } from "../siblings/calls.ts";
import { expectAccessible, shareConsole } from "./open-console.ts";

describe.skipIf(!hasBrowser)("decisions", () => {
  const server = shareServer();
  const opened = shareConsole(server);
  const calls = createCalls(server);

  /** Opens a conversation with an agent that calls a function which requires approval. */
  async function openApproval(): Promise<{ page: Page; cId: string }> {
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
    const page = await opened().enter(`/conversations/${conversation.sId}`);
    await page.getByRole("group", { name: /^Approval of/ }).waitFor();
    return { page, cId: conversation.sId };
  }

  const contentOf = async (cId: string) => answersOf(await calls.get(cId))[0]?.content;

  it("approves a call in place, and shows its arguments and result", async () => {
    const { page, cId } = await openApproval();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText(/Result: .*1042/).waitFor();
    expect(await contentOf(cId)).toContain("1042");
    await page.locator("summary", { hasText: "refund" }).click();
    await page.getByRole("group", { name: "Arguments" }).getByText('"1042"').waitFor();
    await page.getByRole("group", { name: "Result" }).getByText("refunded").waitFor();
    await expectAccessible(page);
  });

  it("answers a question of an agent", async () => {
    const { agentConfiguration } = await calls.rpc().agents.create.mutate({
      wId: server().demo.workspaceId,
      name: "Asking",
      description: "",
      model: { providerId: "simulated", modelId: "simulated-1" },
      asksUser: true,
      script: {
        steps: [
          {
            text: "",
            toolCalls: [
              {
                name: "ask_user",
                params: {
                  question: "Which size?",
                  options: [{ label: "Small" }, { label: "Large", description: "Over 44" }],
                },
              },
            ],
          },
          { text: "So: {{result}}" },
        ],
      },
    });
    const { conversation } = await calls.create("Shoes", [agentConfiguration.sId]);
    const page = await opened().enter(`/conversations/${conversation.sId}`);
    await page.getByRole("radio", { name: /^Large/ }).check();
    await page.getByRole("textbox", { name: "In your own words" }).fill("In red");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByText("So: Large").waitFor();
  });

  it("shows the turns as a timeline and as raw events", async () => {
    const { page } = await openApproval();
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    await page.getByText(/Result: .*1042/).waitFor();
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.getByText(/2 steps · .* output tokens/).waitFor();
    const trace = page.getByRole("treegrid", { name: "Trace" });
    await trace.getByRole("row", { name: /Needs approval/ }).click();
    await page.getByRole("region", { name: "Details of Needs approval" }).waitFor();
    await expectAccessible(page);
    await page.getByRole("tab", { name: "Events" }).click();
    const events = page.getByRole("list", { name: "Events" });
    await events.getByText("agent_message_done").waitFor();
    const log = page.getByRole("combobox", { name: "Log" });
    await log.selectOption({ index: 1 });
    await events.getByText("agent_message_success").click();
    await page.getByRole("group", { name: "Event" }).getByText("1042").first().waitFor();
    expect(page.url()).toMatch(/view=events&log=/);
    await expectAccessible(page);
  });

  it("deletes a conversation only after a typed confirmation", async () => {
    const { conversation } = await calls.create("To be deleted", ["helper"]);
    const page = await opened().enter(`/conversations/${conversation.sId}`);
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    const remove = page.getByRole("button", { name: "Delete conversation" });
    await expectAccessible(page);
    await page.getByRole("textbox", { name: /^Type/ }).fill("delete");
    await remove.click();
    await page.getByRole("heading", { name: "Conversations" }).waitFor();
    const gone = await calls.call("GET", `/${conversation.sId}`);
    expect(gone.status).toBe(404);
  });
});
