import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, Refusal } from "../../testing/answer-calls.ts";
import { runOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import type { Run } from "./kinds.ts";
import { RunListPage } from "./list-page.tsx";

const add = { sId: "sfn_1", slug: "add" };
const turn = runOf({ id: "t1", agent: { sId: "clerk", name: "Clerk" }, conversationId: "con_1" });
const running = runOf({ id: "i1", kind: "invocation", function: add, conversationId: null });
const ended = runOf({ ...running, id: "i2", status: "succeeded", endedAt: 1, durationMs: 1500 });
const call = runOf({
  id: "c1",
  kind: "tool_call",
  tool: { sId: "msv_1", name: "shop" },
  function: null,
  status: "succeeded",
  endedAt: 1,
});

const filters: Answers = {
  "sandboxFunctions.list": () => ({ sandboxFunctions: [], hasMore: false, lastValue: null }),
  "agents.list": () => ({ agentConfigurations: [] }),
};
const listOf = (runs: readonly Run[]): Answers => ({
  ...filters,
  "runs.list": () => ({ runs, hasMore: false, lastValue: null }),
});

const page = async (answers: Answers) => show(<RunListPage />, { href: "/runs", answers });

const button = (name: RegExp | string) => screen.getByRole<HTMLButtonElement>("button", { name });
const box = (name: string) => screen.getByRole<HTMLInputElement>("checkbox", { name });
const refuse = (message: string) => () => {
  throw new Refusal(message);
};

test("is loading until the runs are known, and says that there are none", async () => {
  const reading = Promise.withResolvers<unknown>();
  await page({ ...filters, "runs.list": () => reading.promise });
  expect(screen.getByRole("status", { name: "Loading the runs" })).toBeDefined();
  reading.resolve({ runs: [], hasMore: false, lastValue: null });
  expect(await screen.findByText("No runs found")).toBeDefined();
  expect(button("Select active").disabled).toBe(true);
});

test("says why the runs could not be read", async () => {
  await page({ ...filters, "runs.list": refuse("Refused") });
  expect((await screen.findByRole("alert")).textContent).toMatch(/Refused.*req_1/);
});

test("what led here from the overview is asked for, shown, and can be removed", async () => {
  const href = "/runs?model=openai%2Fgpt-5&user=usr_1&endedFrom=1000&endedTo=2000";
  const { user, calls } = await show(<RunListPage />, { href, answers: listOf([]) });
  await screen.findByText("No runs found");
  expect(inputsOf(calls, "runs.list").at(-1)).toMatchObject({
    model: "openai/gpt-5",
    userId: "usr_1",
    // The route, which these tests have not, makes numbers of them.
    endedFrom: "1000",
    endedTo: "2000",
  });
  await user.click(button("Remove the filter User"));
  await user.click(button("Any time"));
  await waitFor(() =>
    expect(inputsOf(calls, "runs.list").at(-1)).toEqual(
      expect.not.objectContaining({ userId: "usr_1", endedFrom: "1000" }),
    ),
  );
  expect(inputsOf(calls, "runs.list").at(-1)).toMatchObject({ model: "openai/gpt-5" });
});

test("only runs that can be cancelled or rerun can be selected", async () => {
  await page(listOf([turn, running, ended, call]));
  await screen.findByRole("checkbox", { name: "Select Clerk t1" });
  expect(screen.getAllByRole("checkbox").map((one) => one.getAttribute("aria-label"))).toEqual([
    "Select Clerk t1",
    "Select add i1",
    "Select add i2",
  ]);
  expect(screen.getByText("1.5 s")).toBeDefined();
});

test("selects the active runs, and cancels turns and invocations", async () => {
  const { user, calls } = await page({
    ...listOf([turn, running, ended]),
    "runs.cancel": () => ({ success: true }),
  });
  await screen.findByRole("checkbox", { name: "Select Clerk t1" });
  expect(button(/^Cancel/).disabled).toBe(true);
  await user.click(box("Select add i2"));
  expect(button("Rerun (1)").disabled).toBe(false);
  await user.click(button("Select active"));
  expect(box("Select add i2").checked).toBe(false);
  expect(button("Select active").disabled).toBe(true);
  await user.click(button("Cancel (2)"));
  expect(await screen.findByText("2 runs cancelled")).toBeDefined();
  expect(button("Cancel (0)").disabled).toBe(true);
  const cancelled = calls.filter(({ to }) => to === "runs.cancel").map(({ input }) => input);
  expect(cancelled).toMatchObject([{ runId: "t1" }, { runId: "i1" }]);
});

test("is selected and deselected with the keyboard", async () => {
  const { user } = await page(listOf([running]));
  (await screen.findByRole("checkbox", { name: "Select add i1" })).focus();
  await user.keyboard(" ");
  expect(button("Cancel (1)").disabled).toBe(false);
  await user.keyboard(" ");
  expect(button("Cancel (0)").disabled).toBe(true);
});

test("a run that could not be cancelled stays selected, with the error", async () => {
  const cancelling = Promise.withResolvers<unknown>();
  const cancel = "runs.cancel";
  const { user, calls } = await page({ ...listOf([running]), [cancel]: () => cancelling.promise });
  await user.click(await screen.findByRole("checkbox", { name: "Select add i1" }));
  await user.click(button("Cancel (1)"));
  await waitFor(() => expect(button(/^Cancel/).getAttribute("aria-busy")).toBe("true"));
  await user.click(button("Cancel (1)"));
  expect(calls.filter(({ to }) => to === cancel)).toHaveLength(1);
  cancelling.reject(new Refusal("It has ended"));
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/Some runs could not be cancelled.*It has ended/);
  expect(box("Select add i1").checked).toBe(true);
});

test("reruns invocations with their inputs, and keeps the failed ones selected", async () => {
  const other = runOf({ ...ended, id: "i3", function: { sId: "sfn_2", slug: "gone" } });
  const { user, calls } = await page({
    ...listOf([ended, other]),
    "runs.get": ({ runId }: { readonly runId: string }) => ({ input: { of: runId } }),
    "POST /sandbox-functions/sfn_1/invocations": () => ({ invocation: { sId: "i4" } }),
    "POST /sandbox-functions/sfn_2/invocations": refuse("There is no such function"),
  });
  await user.click(await screen.findByRole("checkbox", { name: "Select add i2" }));
  await user.click(box("Select gone i3"));
  await user.click(button("Rerun (2)"));
  expect(await screen.findByText("1 run started, 1 failed")).toBeDefined();
  const alert = screen.getByRole("alert");
  expect(alert.textContent).toMatch(/gone i3 was not rerun.*There is no such function/);
  expect([box("Select add i2").checked, box("Select gone i3").checked]).toEqual([false, true]);
  const invoked = calls.find(({ to }) => to.includes("sfn_1"));
  expect(invoked?.input).toMatchObject({ input: { of: "i2" } });
});

test("a turn shows its tokens, and how many of them were cached", async () => {
  const usage = {
    inputTokens: 2000,
    outputTokens: 300,
    cachedInputTokens: 1500,
    cacheWriteTokens: 0,
    reasoningTokens: 100,
  };
  await page(listOf([runOf({ ...turn, usage }), call]));
  const cell = await screen.findByTitle(
    "2,000 input tokens, 1,500 (75%) cached · 300 output tokens, 100 of reasoning",
  );
  expect(cell.textContent).toBe("2,000 / 3001,500 (75%) cached");
  expect(screen.getAllByText(/cached/)).toHaveLength(1);
});
