import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { refuse } from "../../testing/answer-calls.ts";
import { answerOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { Timeline } from "./timeline.tsx";

const own = { providerId: "openai", modelId: "gpt-5" };
const other = { providerId: "xai", modelId: "grok-4" };
const sums = {
  steps: 3,
  inputTokens: 120,
  outputTokens: 40,
  modelDurationMs: 900,
  toolCalls: 0,
  toolDurationMs: 0,
};
const answered = { version: 0, status: "succeeded", agentConfigurationId: "clerk", ...sums };

test("an answer names the models that have answered in place of its agent's own", async () => {
  const messages = [
    { messageId: "msg_1", ...answered, ...own },
    { messageId: "msg_2", ...answered, ...other, fallbacks: [{ ...other, steps: 2 }] },
  ];
  const total = { answers: 2, ...sums };
  const page = { total, agents: [], models: [], messages, hasMore: false, lastValue: null };
  const content = [[answerOf({ sId: "msg_1" })], [answerOf({ sId: "msg_2" })]];
  const answers = {
    "conversations.getConsumption": () => page,
    "conversations.get": () => ({ conversation: { content } }),
    "messages.getTrace": refuse("No trace"),
  };
  await show(<Timeline conversationId="con_1" />, { answers });
  const [first, second] = await screen.findAllByRole("listitem");
  expect(first?.textContent).toContain("openai/gpt-5: 3 steps");
  expect(first?.textContent).not.toContain("in place of");
  expect(second?.textContent).toContain("xai/grok-4: 3 steps");
  expect(second?.textContent).toContain(
    "Answered by xai/grok-4, in place of the agent's model, in 2 steps",
  );
});
