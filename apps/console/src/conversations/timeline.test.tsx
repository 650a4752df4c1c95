import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../testing/show.tsx";
import { Timeline } from "./timeline.tsx";

const sums = {
  steps: 2,
  inputTokens: 2000,
  outputTokens: 300,
  cachedInputTokens: 1500,
  cacheWriteTokens: 100,
  reasoningTokens: 120,
  modelDurationMs: 900,
  toolCalls: 0,
  toolDurationMs: 0,
};
const none = {
  ...sums,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
};
const answerOf = (messageId: string, modelId: string, counted = sums) => ({
  messageId,
  version: 0,
  status: "succeeded",
  agentConfigurationId: "clerk",
  providerId: "openai",
  modelId,
  ...counted,
});

const traceOf = (runId: string) => ({
  traceId: "t",
  parentSpanId: null,
  runId,
  spans: [
    {
      id: "a",
      parentId: null,
      kind: "answer",
      name: `Clerk ${runId}`,
      startedAt: 0,
      endedAt: 1000,
      status: "succeeded",
    },
  ],
  isCut: false,
});

const timeline = async (further = {}) =>
  show(<Timeline conversationId="con_1" />, {
    answers: {
      "conversations.getConsumption": () => ({
        total: { answers: 2, ...sums },
        agents: [{ agentConfigurationId: "clerk", answers: 2, ...sums }],
        models: [{ providerId: "openai", modelId: "gpt-5", answers: 1, ...sums }],
        messages: [answerOf("msg_1", "gpt-5"), answerOf("msg_2", "gpt-4", none)],
        hasMore: false,
        lastValue: null,
        ...further,
      }),
      "conversations.get": () => ({ conversation: { content: [] } }),
      "messages.getTrace": ({ mId }: { readonly mId: string }) => ({ trace: traceOf(mId) }),
    },
  });

test("says beside an answer how much of its input was cached, and of its output reasoning", async () => {
  await timeline();
  const [counted, uncounted] = await screen.findAllByRole("listitem");
  expect(counted?.textContent).toContain(
    "openai/gpt-5: 2 steps · 2,000 input tokens, 1,500 (75%) cached · 300 output tokens, " +
      "120 of reasoning · model 900 ms",
  );
  expect(uncounted?.textContent).toContain("2 steps · 0 input tokens · 0 output tokens · model");
});

test("sums them for the conversation, and for each agent and model", async () => {
  await timeline();
  const cached = await screen.findByText("Cached input", { selector: "dt" });
  expect(cached.nextElementSibling?.textContent).toBe("1,500 (75%)");
  const reasoning = screen.getByText("Reasoning tokens", { selector: "dt" });
  expect(reasoning.nextElementSibling?.textContent).toBe("120");
  const row = screen.getByText("openai/gpt-5").closest("tr")!;
  expect(within(row).getByText("1,500 (75%)")).toBeDefined();
});

test("says what summaries of the oldest messages took of it, if there are any", async () => {
  await timeline({ summaries: { summaries: 2, ...sums } });
  const line = await screen.findByText(/of the oldest messages took/);
  expect(line.textContent).toBe(
    "2 summaries of the oldest messages took 2,000 input tokens, 1,500 (75%) cached · " +
      "300 output tokens, 120 of reasoning of these",
  );
});

test("says what answers cost to those who are told, and how many calls had no price", async () => {
  const cost = (amount: string, unpricedCalls: number) => ({
    cost: { amount, currency: "USD", unpricedCalls },
  });
  await timeline({
    total: { answers: 2, ...sums, ...cost("1.5", 2) },
    messages: [
      { ...answerOf("msg_1", "gpt-5"), ...cost("0.0123", 0) },
      { ...answerOf("msg_2", "llama"), ...cost("0", 1) },
      answerOf("msg_3", "simulated-1", none),
    ],
  });
  const [priced, unpriced, simulated] = await screen.findAllByRole("listitem");
  expect(priced?.textContent).toContain("120 of reasoning · $0.0123 · model");
  expect(unpriced?.textContent).toContain("· No price (1 call) · model");
  expect(simulated?.textContent).not.toContain("$");
  expect(screen.getByText("$1.50 + 2 calls without a price")).toBeDefined();
});

test("shows the trace of the newest answer, and of another once it is asked for", async () => {
  const { user, calls } = await timeline();
  expect(await screen.findByRole("row", { name: /Clerk msg_2/ })).toBeDefined();
  const traced = () => calls.filter(({ to }) => to === "messages.getTrace").length;
  expect(traced()).toBe(1);
  await user.click(screen.getByRole("button", { name: "Show trace of answer msg_1" }));
  expect(await screen.findByRole("row", { name: /Clerk msg_1/ })).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Hide trace of answer msg_2" }));
  expect(screen.queryByRole("row", { name: /Clerk msg_2/ })).toBeNull();
  expect(traced()).toBe(2);
});
