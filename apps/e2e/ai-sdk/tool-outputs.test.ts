import { isToolUIPart, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { agentMessages } from "parley-client";
import { expect, test } from "vitest";
import { toolCallingAgent } from "../ag-ui/agents.ts";
import { createClientOf } from "../client/clients.ts";
import { weather } from "../function-tools/ask-with-tools.ts";
import { shareServer } from "../server.ts";
import { apiOf, conversationOf, lastText, openChat } from "./chats.ts";

// Tools that a page runs itself, with the SDK's own Chat and transport.

const server = shareServer();
const clientOf = createClientOf(server);
const body = { functionTools: [weather] };

async function askForWeather(options: { readonly sendsAutomatically: boolean }) {
  const agentId = await toolCallingAgent(server());
  const chat = openChat(server(), {
    id: `weather-${agentId}`,
    agentId,
    transport: { body },
    ...(options.sendsAutomatically && {
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    }),
  });
  await chat.sendMessage({ text: "How is it?" });
  const call = chat.messages.at(-1)!.parts.find(isToolUIPart)!;
  return { agentId, chat, call };
}

const answerOf = async (conversationId: string) =>
  agentMessages((await clientOf().conversations.get({ conversationId })).conversation).at(-1)!;

test("addToolOutput sends the output of a page's own tool, and the answer continues", async () => {
  const { agentId, chat, call } = await askForWeather({ sendsAutomatically: true });
  expect(call).toMatchObject({
    type: "tool-get_weather",
    state: "input-available",
    input: { city: "Paris" },
  });
  expect(chat.status).toBe("ready");
  const { id } = chat.messages.at(-1)!;
  const output = { sky: "blue", degrees: 20 };
  await chat.addToolOutput({ tool: "get_weather", toolCallId: call.toolCallId, output });
  await expect.poll(() => lastText(chat)).toContain(`It is: ${JSON.stringify(output)}`);
  await expect.poll(() => chat.status).toBe("ready");
  expect(chat.error).toBeUndefined();
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  const answered = chat.messages.at(-1)!;
  expect(answered.id).toBe(id);
  expect(answered.parts.filter(isToolUIPart)).toMatchObject([
    { state: "output-available", output },
  ]);
  expect(await answerOf(conversationOf(chat))).toMatchObject({ sId: id, status: "succeeded" });

  // A page that is loaded again replays the same message.
  const again = openChat(server(), {
    id: chat.id,
    agentId,
    transport: { api: `${apiOf(server(), agentId)}?ended=replay` },
  });
  await again.resumeStream();
  expect(again.messages.at(-1)?.parts).toEqual(answered.parts);
});

test("an output that is an error is one to the model, and a repeated one changes nothing", async () => {
  const { chat, call } = await askForWeather({ sendsAutomatically: false });
  const { toolCallId } = call;
  const failed = { state: "output-error", errorText: "No sky" } as const;
  await chat.addToolOutput({ tool: "get_weather", toolCallId, ...failed });
  await chat.sendMessage();
  expect(chat.error).toBeUndefined();
  expect(lastText(chat)).toContain("No sky");
  const text = lastText(chat);
  const answer = await answerOf(conversationOf(chat));
  expect(answer.actions).toMatchObject([{ status: "errored" }]);

  // As a page does whose request was lost, or that forges another output.
  const output = "Sunny after all";
  await chat.addToolOutput({ tool: "get_weather", toolCallId, output });
  await chat.sendMessage();
  expect(chat.error).toBeUndefined();
  expect(await answerOf(conversationOf(chat))).toEqual(answer);
  expect(text).not.toContain(output);
});

test("an output of a call that the answer does not have is refused, and nothing is sent", async () => {
  const { agentId, chat, call } = await askForWeather({ sendsAutomatically: false });
  const conversationId = conversationOf(chat);
  const before = await answerOf(conversationId);
  const { id } = chat.messages.at(-1)!;
  const part = { type: "tool-get_weather", state: "output-available", input: {}, output: "Sunny" };
  const post = async (parts: readonly object[], messageId = id) =>
    fetch(apiOf(server(), agentId), {
      method: "POST",
      headers: {
        Authorization: `Bearer ${server().demo.userKey}`,
        "Content-Type": "application/json",
      },
      body: JSON.stringify({
        id: chat.id,
        trigger: "submit-message",
        messages: [{ id: messageId, role: "assistant", parts }],
      }),
    });
  const wrong = [
    post([{ ...part, toolCallId: "act_forged" }]),
    post([
      { ...part, toolCallId: call.toolCallId },
      { ...part, toolCallId: "act_forged" },
    ]),
    post([{ ...part, toolCallId: call.toolCallId }], "Mf6yC1vB8k"),
  ];
  for (const [index, response] of (await Promise.all(wrong)).entries()) {
    expect(response.status).toBe(400);
    const path = `messages[0].parts[${index === 1 ? 1 : 0}].toolCallId`;
    expect(await response.text()).toContain(path);
  }
  expect(await answerOf(conversationId)).toEqual(before);
  expect(before.actions).toMatchObject([{ status: "blocked_client_output_required" }]);
});
