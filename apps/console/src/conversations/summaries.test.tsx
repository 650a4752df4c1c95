import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { show } from "../../testing/show.tsx";
import { Summaries } from "./summaries.tsx";

const summary = {
  number: 2,
  runId: "sum_1",
  status: "active",
  fromRank: 0,
  toRank: 87,
  containsNumber: null,
  text: "Ann asked for invoices.",
  carried: [{ kind: "id", text: "INV-2024-0193" }],
  model: { providerId: "simulated", modelId: "simulated-1" },
  inputTokens: 1,
  outputTokens: 1,
  error: null,
  createdAt: 0,
  finishedAt: 0,
  undoneAt: null,
  undoneBy: null as string | null,
};
const listOf = (...summaries: object[]) => ({
  "summaries.list": () => ({ summaries, hasMore: false, lastValue: null }),
});
const lines = <Summaries conversationId="con_1" />;

test("a summary is a line with its text, which those who may write can undo", async () => {
  const changed = { "summaries.update": () => ({ ...summary, status: "undone" }) };
  const answers = { ...listOf(summary, { ...summary, number: 1 }), ...changed };
  const { user, calls } = await show(lines, { answers });
  await user.click(await screen.findByText("Earlier messages were summarised"));
  expect(screen.getByText("Ann asked for invoices.")).toBeDefined();
  expect(screen.getByText("INV-2024-0193")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Undo the summary" }));
  const input = { wId: "wks_1", cId: "con_1", number: 2, active: false };
  await waitFor(() =>
    expect(calls.find(({ to }) => to === "summaries.update")).toMatchObject({ input }),
  );
});

test("an undone one can be taken back, unless its messages have changed", async () => {
  const undone = { ...summary, status: "undone", undoneBy: "usr_1" };
  await show(lines, { answers: listOf(undone, { ...undone, number: 1, undoneBy: null }) });
  expect(await screen.findAllByText("A summary of earlier messages was undone")).toHaveLength(2);
  expect(screen.getAllByText("Take the summary back")).toHaveLength(1);
});

test("there is no line while one is written, if it failed, and no button for those who only read", async () => {
  const failed = { ...summary, number: 3, status: "failed", text: null, carried: [] };
  const session = { scopes: ["conversations:read" as const] };
  await show(lines, { answers: listOf(failed, summary), session });
  expect(await screen.findAllByText("Earlier messages were summarised")).toHaveLength(1);
  expect(screen.queryByRole("button")).toBeNull();
});
