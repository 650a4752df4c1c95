import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../testing/show.tsx";
import { Tasks } from "./tasks.tsx";

const above = {
  conversationId: "con_1",
  messageId: "msg_1",
  agentId: "ann",
  agentName: "Ann",
  actionId: "act_1",
  step: 0,
};
const bob = {
  conversationId: "con_2",
  messageId: "msg_2",
  agentId: "bob",
  agentName: "Bob",
  title: "Find it",
  status: "created",
  depth: 1,
  path: [above],
  actionRequired: true,
  createdAt: 0,
  finishedAt: null,
};
const eve = {
  ...bob,
  conversationId: "con_3",
  messageId: "msg_3",
  agentName: "Eve",
  status: "succeeded",
  depth: 2,
  path: [above, { ...above, conversationId: "con_2", messageId: "msg_2" }],
  actionRequired: false,
  finishedAt: 2000,
  cost: { amount: "0.01", currency: "USD", unpricedCalls: 0 },
};
const listOf = (...tasks: object[]) => ({
  "conversations.listTasks": () => ({ tasks, hasMore: false, lastValue: null }),
});

test("the tasks of a conversation are a tree, which is cancelled through its answer", async () => {
  const answers = {
    ...listOf(bob, eve),
    "POST /assistant/conversations/con_1/cancel": () => ({ success: true }),
  };
  const { user, calls } = await show(<Tasks conversationId="con_1" />, { answers });
  await user.click(await screen.findByText("2 tasks of other agents, 1 under way"));
  const inner = screen.getByRole("link", { name: "Eve" }).closest("li")!;
  expect(inner.parentElement?.closest("li")?.textContent).toContain("Bob");
  expect(inner.textContent).toMatch(/0\.01/);
  await user.click(screen.getByRole("button", { name: "Cancel all" }));
  await waitFor(() =>
    expect(calls.find(({ to }) => to.includes("cancel"))).toMatchObject({
      input: { messageIds: ["msg_1"] },
    }),
  );
});

test("there is nothing without tasks", async () => {
  const { calls } = await show(<Tasks conversationId="con_1" />, { answers: listOf() });
  await waitFor(() => expect(calls.some(({ to }) => to.includes("listTasks"))).toBe(true));
  expect(screen.queryByText(/other agents/)).toBeNull();
});

test("there is no button once all have ended", async () => {
  await show(<Tasks conversationId="con_1" />, { answers: listOf({ ...bob, status: "failed" }) });
  expect(await screen.findByText("1 task of other agents")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Cancel all" })).toBeNull();
});
