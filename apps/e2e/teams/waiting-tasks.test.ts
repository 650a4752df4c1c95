import { Chat } from "@ai-sdk/react";
import { isToolUIPart, lastAssistantMessageIsCompleteWithApprovalResponses } from "ai";
import OpenAI from "openai";
import { type ChatMessage, createChatTransport } from "parley-client/ai-sdk";
import { expect, test } from "vitest";
import { openAgent, saidIn, userMessage } from "../ag-ui/agents.ts";
import { apiOf, conversationOf, lastText, openChat } from "../ai-sdk/chats.ts";
import { approvingAgent, askingAgent } from "../client/approving-agent.ts";
import { createClientOf } from "../client/clients.ts";
import { shareServer } from "../server.ts";
import { teamAgent } from "./team-agents.ts";

// What a task waits for is on the stream of the answer that was asked, with the protocols' own clients.

const server = shareServer();
const clientOf = createClientOf(server);

test.for([true, false])(
  "AG-UI: a call of a task is an interrupt, decided with %s",
  async (approved) => {
    const middle = await teamAgent(server(), [await approvingAgent(server())]);
    const sId = await teamAgent(server(), [middle]);
    const agent = openAgent(server(), { sId, messages: [userMessage("Refund me")] });
    const first = await agent.runAgent();
    expect(saidIn(first.newMessages)).toBe("I ask. ");
    const [interrupt, ...others] = agent.pendingInterrupts;
    expect(others).toEqual([]);
    expect(interrupt).toMatchObject({
      reason: "tool_call_approval",
      metadata: {
        inputs: { order: "4711" },
        task: { path: [{ agentId: sId }, { agentId: middle }] },
      },
    });
    const { id: interruptId = "" } = interrupt ?? {};
    const resume = [{ interruptId, status: "resolved", payload: { approved } } as const];
    const types: string[] = [];
    const onEvent = ({ event }: { event: { type: string } }) => void types.push(event.type);
    const ended = await agent.runAgent({ runId: "resumed", resume }, { onEvent });
    expect(agent.pendingInterrupts).toEqual([]);
    expect(types.filter((type) => type.startsWith("SUBAGENT"))).toEqual([
      "SUBAGENT_STARTED",
      "SUBAGENT_FINISHED",
    ]);
    expect(saidIn(ended.newMessages)).toContain("They said: I ask. They said: One moment. Done: ");
    expect(saidIn(ended.newMessages).includes("refunded")).toBe(approved);
    // The same run again, as after a crash of its client: what is decided stays so.
    const again = openAgent(server(), {
      sId,
      threadId: agent.threadId,
      messages: agent.messages.slice(0, 1),
    });
    const repeated = await again.runAgent({ runId: "resumed", resume });
    expect(saidIn(repeated.newMessages)).toBe(saidIn(ended.newMessages));
  },
);

test("AG-UI: two tasks wait one after the other, and a question is answered", async () => {
  const mates = [await askingAgent(server()), await askingAgent(server())];
  const agent = openAgent(server(), {
    sId: await teamAgent(server(), mates),
    messages: [userMessage("Two shirts")],
  });
  await agent.runAgent();
  const answered = new Set<string>();
  let said = "";
  while (agent.pendingInterrupts.length > 0) {
    const resume = agent.pendingInterrupts.map(({ id, reason }) => {
      expect(reason).toBe("question");
      answered.add(id);
      return { interruptId: id, status: "resolved", payload: { selectedOptions: [1] } } as const;
    });
    said = saidIn((await agent.runAgent({ resume })).newMessages);
  }
  expect(answered.size).toBe(2);
  expect(said).toContain("They said: Well. So: Large");
});

test.for([true, false])(
  "the AI SDK: a call of a task is decided with %s, and sent by itself",
  async (approved) => {
    const agentId = await teamAgent(server(), [await approvingAgent(server())]);
    const chat = openChat(server(), {
      id: `team-${agentId}`,
      agentId,
    });
    await chat.sendMessage({ text: "Refund me" });
    expect(chat.error).toBeUndefined();
    const call = chat.messages.at(-1)!.parts.findLast(isToolUIPart)!;
    expect(call).toMatchObject({ state: "approval-requested", input: { order: "4711" } });
    const conversationId = conversationOf(chat);
    const { blockedActions } = await clientOf().conversations.listBlockedActions({
      conversationId,
    });
    const [{ conversationId: taskId, messageId } = { conversationId: "", messageId: "" }] =
      blockedActions;
    expect(taskId).not.toBe(conversationId);
    expect(chat.messages.at(-1)!.parts).toContainEqual({
      type: "data-task-call",
      id: call.toolCallId,
      data: expect.objectContaining({ conversationId: taskId, messageId }) as unknown,
    });
    await chat.addToolApprovalResponse({ id: call.toolCallId, approved });
    await expect.poll(() => lastText(chat)).toContain("They said: One moment. Done: ");
    expect(chat.error).toBeUndefined();
    expect(lastText(chat).includes("refunded")).toBe(approved);
    const parts = chat.messages.at(-1)!.parts.filter(isToolUIPart);
    expect(parts).toMatchObject([
      { state: "output-available" },
      { state: approved ? "output-available" : "output-denied", approval: { approved } },
    ]);
    // A page that is loaded again replays the same message.
    const again = openChat(server(), {
      id: chat.id,
      agentId,
      transport: { api: `${apiOf(server(), agentId)}?ended=replay` },
    });
    await again.resumeStream();
    expect(lastText(again)).toBe(lastText(chat));
  },
);

test("the AI SDK: two tasks that wait are decided one after the other", async () => {
  const mates = [await approvingAgent(server()), await approvingAgent(server())];
  const agentId = await teamAgent(server(), mates);
  const chat = openChat(server(), { id: `two-${agentId}`, agentId });
  await chat.sendMessage({ text: "Refund us" });
  const decided = new Set<string>();
  const next = () =>
    chat.messages
      .at(-1)!
      .parts.filter(isToolUIPart)
      .find(({ state, toolCallId }) => state === "approval-requested" && !decided.has(toolCallId));
  for (let count = 0; count < mates.length; count++) {
    await expect.poll(() => chat.status === "ready" && next() !== undefined).toBe(true);
    const { toolCallId: id } = next()!;
    decided.add(id);
    await chat.addToolApprovalResponse({ id, approved: true });
  }
  await expect.poll(() => lastText(chat)).toContain("They said: One moment. Done: ");
  await expect.poll(() => chat.status).toBe("ready");
  expect(chat.error).toBeUndefined();
  const { parts } = chat.messages.at(-1)!;
  const calls = parts.filter(isToolUIPart);
  expect(calls.map(({ state }) => state)).toEqual(
    Array.from({ length: 4 }, () => "output-available"),
  );
  expect(lastText(chat).match(/I ask/g)).toHaveLength(1);
});

test("the transport of parley-client decides about the call of a task", async () => {
  const agentId = await teamAgent(server(), [await approvingAgent(server())]);
  const chat = new Chat<ChatMessage>({
    transport: createChatTransport({ parley: clientOf(), agentId }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  await chat.sendMessage({ text: "Refund me" });
  const { toolCallId: id } = chat.messages.at(-1)!.parts.findLast(isToolUIPart)!;
  await chat.addToolApprovalResponse({ id, approved: true });
  await expect.poll(() => lastText(chat)).toContain("refunded");
  expect(chat.error).toBeUndefined();
});

test("Responses ask for the approval of a task's call, without what the task says", async () => {
  const model = await teamAgent(server(), [await approvingAgent(server())]);
  const client = new OpenAI({ baseURL: `${server().url}/v1`, apiKey: server().demo.adminKey });
  const first = await client.responses.create({ model, input: "Refund me" });
  const request = first.output.find((item) => item.type === "mcp_approval_request");
  expect(JSON.parse(request?.arguments ?? "")).toEqual({ order: "4711" });
  expect(first.output_text).toBe("I ask. ");
  const second = await client.responses.create({
    model,
    previous_response_id: first.id,
    input: [
      { type: "mcp_approval_response", approval_request_id: request?.id ?? "", approve: true },
    ],
  });
  expect(second.output_text).toMatch(/^They said: One moment. Done: .*refunded/);
  expect(second.output.map(({ type }) => type)).toEqual(["mcp_call", "message"]);
});

test("chat completions say that a task waits for an approval", async () => {
  const model = await teamAgent(server(), [await approvingAgent(server())]);
  const client = new OpenAI({
    baseURL: `${server().url}/v1`,
    apiKey: server().demo.adminKey,
    maxRetries: 0,
  });
  const messages = [{ role: "user", content: "Refund me" } as const];
  await expect(client.chat.completions.create({ model, messages })).rejects.toThrow(
    /only with an approval/,
  );
});
