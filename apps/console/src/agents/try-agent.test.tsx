import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf } from "../../testing/answer-calls.ts";
import { answerOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import type { AgentInput } from "./definition.ts";
import { readTrial } from "./trial-search.ts";
import { TryAgent } from "./try-agent.tsx";

const TRY = "POST /assistant/agent_configurations/try";
const draft: AgentInput = {
  name: "Clerk",
  description: "",
  model: { providerId: "simulated", modelId: "simulated-1" },
};
const sums = {
  inputTokens: 12,
  cachedInputTokens: 0,
  outputTokens: 7,
  reasoningTokens: 0,
  cost: { amount: "0.002", currency: "USD", unpricedCalls: 0 },
};

/** Each trial has a conversation of its own, whose answer has ended. */
const answers = (): Answers => {
  let asked = 0;
  const conversationOf = (number: number) => () => ({
    conversation: { content: [[answerOf({ sId: `msg_${number}`, content: `Answer ${number}` })]] },
  });
  return {
    "agents.listVersions": () => ({
      versions: [
        { version: 1, isCurrent: true },
        { version: 0, isCurrent: false },
      ],
      hasMore: false,
      lastValue: null,
    }),
    "models.list": () => ({
      models: [{ providerId: "openai", modelId: "one", isEnabled: true }],
    }),
    "skills.list": () => ({ skills: [] }),
    "tools.list": () => ({ tools: [] }),
    "sandboxFunctions.list": () => ({ sandboxFunctions: [], hasMore: false, lastValue: null }),
    [TRY]: () => {
      asked += 1;
      return { conversation: { sId: `con_${asked}` }, message: { sId: `msg_${asked}` } };
    },
    "GET /assistant/conversations/con_1": conversationOf(1),
    "GET /assistant/conversations/con_2": conversationOf(2),
    "conversations.getConsumption": () => ({ total: sums, messages: [] }),
  };
};

const open = async (query = "", readForm = () => draft) => {
  const { user, calls, href } = await show(<TryAgent agentId="clerk" readForm={readForm} />, {
    href: `/agents/clerk${query}`,
    validateSearch: readTrial,
    answers: answers(),
  });
  await screen.findAllByRole("option", { name: "Version 1" });
  const run = async (text: string) => {
    await user.type(screen.getByRole("textbox", { name: "Message" }), text);
    await user.click(screen.getByRole("button", { name: "Run" }));
  };
  const choose = async (label: string, value: string) =>
    user.selectOptions(screen.getByRole("combobox", { name: label }), value);
  return { calls, href, run, choose };
};

test("the form answers without being saved, and it is said what the answer took", async () => {
  const { calls, run } = await open();
  await run("Hello");
  const column = await screen.findByRole("region", { name: "This form" });
  await within(column).findByText("Answer 1");
  await waitFor(() =>
    expect(column.textContent).toMatch(/Total .*12 input tokens.*7 output tokens.*\$0\.002/),
  );
  expect(inputsOf(calls, TRY)).toMatchObject([
    { agentId: "clerk", draft, message: { content: "Hello" } },
  ]);
  expect(within(column).queryByRole("button", { name: "Regenerate" })).toBeNull();
});

test("a version and another model answer the same message side by side", async () => {
  const { calls, href, run, choose } = await open();
  await choose("Answer", "1");
  await choose("Compare with", "form");
  await choose("Model to compare with", "openai/one");
  expect(href()).toBe("/agents/clerk?ask=1&with=form&withModel=openai%2Fone");
  await run("Hello");
  await screen.findByRole("region", { name: "Version 2" });
  await screen.findByRole("region", { name: "This form, openai/one" });
  await screen.findByText("Answer 2");
  expect(inputsOf(calls, TRY)).toMatchObject([
    { agentId: "clerk", agentVersion: 1, message: { content: "Hello" } },
    {
      agentId: "clerk",
      draft,
      message: { content: "Hello", modelSelection: { providerId: "openai", modelId: "one" } },
    },
  ]);
  await waitFor(() => expect(screen.getAllByText(/Total/)).toHaveLength(2));
});

test("what is wrong with the form is said, and nothing is run", async () => {
  const { calls, run } = await open("", () => {
    throw new Error("Choose a model");
  });
  await run("Hello");
  expect((await screen.findByRole("alert")).textContent).toContain("Choose a model");
  expect(inputsOf(calls, TRY)).toEqual([]);
});

test.for([
  ["?ask=2&with=form&model=a/b", { ask: "2", with: "form", model: "a/b", withModel: undefined }],
  ["?ask=x&model=a&withModel=", { ask: undefined, with: undefined, model: undefined }],
] as const)("reads %s", ([query, expected]) => {
  const search = Object.fromEntries(new URLSearchParams(query));
  expect(readTrial(search)).toMatchObject(expected);
});
