import { agentMessages } from "parley-client";
import { createElement } from "react";
import { expect, test } from "vitest";
import { shareServer } from "../server.ts";
import { approvingAgent, askingAgent } from "./approving-agent.ts";
import { Chat, type ChatOptions } from "./chat.ts";
import { createClientOf } from "./clients.ts";
import { openPages } from "./page.ts";

// What waits for a person, in the hook under StrictMode.

const server = shareServer();
const open = openPages();

const clientOf = createClientOf(server);

const storedAnswers = async (conversationId: string) =>
  agentMessages((await clientOf().conversations.get({ conversationId })).conversation);

const chat = async (options: ChatOptions) => open(createElement(Chat, options));

test.for(["approve", "reject"])(
  "a call waits for a person, also on a new page: %s",
  async (act) => {
    const agentIds = [await approvingAgent(server())];
    const parley = clientOf();
    const first = await chat({ parley, agentIds });
    first.click("send");
    await first.shows("approvals", /^refund/);
    const conversationId = first.text("id");
    first.unmount();
    const page = await chat({ parley, agentIds, conversationId });
    await page.shows("approvals", /^refund/);
    page.click(act);
    await page.shows("approvals", "");
    await page.shows("outcome", "succeeded");
    const [stored] = await storedAnswers(conversationId);
    expect(stored?.actions.map(({ status }) => status)).toEqual([
      act === "approve" ? "succeeded" : "denied",
    ]);
    expect(page.text("answer")).toBe(stored?.content);
    expect(page.text("error")).toBe("none");
  },
);

test.for([
  ["choose", "Well. So: Large"],
  ["say", "Well. So: In red"],
])("a question waits for a person, also on a new page: %s", async ([act, said]) => {
  const agentIds = [await askingAgent(server())];
  const parley = clientOf();
  const first = await chat({ parley, agentIds });
  first.click("send");
  await first.shows("questions", "Which size?");
  const conversationId = first.text("id");
  first.unmount();
  const page = await chat({ parley, agentIds, conversationId });
  await page.shows("questions", "Which size?");
  expect(page.text("approvals")).toBe("");
  page.click("say nothing");
  await page.shows("error", /customResponse/);
  expect(page.text("questions")).toBe("Which size?");
  page.click(act!);
  await page.shows("questions", "");
  await page.shows("outcome", "succeeded");
  expect(page.text("error")).toBe("none");
  const [stored] = await storedAnswers(conversationId);
  expect([page.text("answer"), stored?.content]).toEqual([said, said]);
});
