import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { firingOf, scheduleOf } from "../../testing/models.ts";
import { show } from "../../testing/show.tsx";
import { SchedulePage } from "./schedule-page.tsx";

const firings = [
  firingOf({ sId: "fir_3", status: "waiting", startedAt: null, conversationId: null }),
  firingOf({ sId: "fir_2", isManual: true }),
  firingOf({
    sId: "fir_1",
    status: "failed",
    startedAt: null,
    conversationId: null,
    reason: "agent_not_found: no such agent",
  }),
];

const page = async (answers: Answers = {}, { query = "", schedule = scheduleOf() } = {}) =>
  show(<SchedulePage />, {
    path: "/schedules/$scheduleId",
    href: `/schedules/sch_1${query}`,
    answers: {
      "schedules.get": () => ({ schedule }),
      "schedules.listFirings": () => ({ firings, hasMore: false, lastValue: null }),
      ...answers,
    },
  });

const choices: Answers = {
  "agents.list": () => ({ agentConfigurations: [] }),
  "sandboxFunctions.list": () => ({ sandboxFunctions: [], hasMore: false, lastValue: null }),
  "spaces.list": () => ({ spaces: [] }),
  "apiKeys.list": () => ({ apiKeys: [] }),
  "schedules.preview": () => ({ slots: [] }),
};

const choose = async (user: UserEvent, item: string) => {
  await user.click(await screen.findByRole("button", { name: "Actions" }));
  await user.click(screen.getByRole("menuitem", { name: item }));
};

test("shows what a schedule starts, and when", async () => {
  await page();
  expect(await screen.findByRole("heading", { level: 1, name: "Report" })).toBeDefined();
  const facts = screen.getAllByRole("definition").map(({ textContent }) => textContent);
  expect(facts.join("; ")).toMatch(
    /^Active; For the morning meeting; clerk; newest; .*Write it.*; a new one each time; 0 9 \* \* \* Asia\/Tokyo; Nov 30.*; Skip this time; Start once, for the last one; key_1; /,
  );
});

test("shows firings with what they started, and why others did not", async () => {
  await page();
  await screen.findByText("by hand");
  const [, waiting, started, failed] = screen.getAllByRole("row");
  expect(waiting?.textContent).toContain("Queued");
  expect(started?.textContent).toContain("by hand");
  const link = within(started!).getByRole("link", { name: "Conversation" });
  expect(link.getAttribute("href")).toBe("/conversations/con_1?view=timeline");
  expect(failed?.textContent).toContain("agent_not_found: no such agent");
});

test("links to the invocations of a function", async () => {
  const invoked = { functionId: "sfn_1", functionVersion: 2, input: { day: 1 } };
  const firing = firingOf({ conversationId: null, invocationId: "sfi_1" });
  const { user, calls } = await page(
    { "schedules.listFirings": () => ({ firings: [firing], hasMore: false, lastValue: null }) },
    { schedule: scheduleOf({ agent: null, function: invoked }) },
  );
  const link = await screen.findByRole("link", { name: "Invocation" });
  expect(link.getAttribute("href")).toBe("/functions/sfn_1/invocations/sfi_1");
  await user.selectOptions(screen.getByRole("combobox", { name: "Status" }), "failed");
  await waitFor(() =>
    expect(inputsOf(calls, "schedules.listFirings").at(-1)).toMatchObject({ status: "failed" }),
  );
});

test("runs now, and is paused", async () => {
  const paused = scheduleOf({ pausedFor: "request", pausedAt: 1 });
  const { user, calls } = await page({
    "schedules.run": () => ({ firing: firings[0] }),
    "schedules.update": () => ({ schedule: paused }),
  });
  await user.click(await screen.findByRole("button", { name: "Run now" }));
  expect(await screen.findByText("It starts now")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Pause" }));
  expect(await screen.findByText("Paused")).toBeDefined();
  expect(inputsOf(calls, "schedules.run")).toEqual([{ wId: "wks_1", scheduleId: "sch_1" }]);
  expect(inputsOf(calls, "schedules.update")).toEqual([
    { wId: "wks_1", scheduleId: "sch_1", version: 3, isPaused: true },
  ]);
});

test("says why it cannot be resumed", async () => {
  const schedule = scheduleOf({ pausedFor: "key_revoked", pausedAt: 1 });
  const { user } = await page(
    { "schedules.update": refuse("must name a key to act for") },
    { schedule },
  );
  await user.click(await screen.findByRole("button", { name: "Resume" }));
  expect((await screen.findByRole("alert")).textContent).toContain("must name a key to act for");
});

test("is changed: its times stay as they are unless they differ", async () => {
  const schedule = scheduleOf({ cron: null, everySeconds: 7200 });
  const update = () => ({ schedule });
  const { user, calls } = await page({ ...choices, "schedules.update": update }, { schedule });
  const edit = async () => {
    await choose(user, "Edit …");
    await screen.findByRole("option", { name: "Keep the current one" });
  };
  await edit();
  const message = screen.getByRole("textbox", { name: "Message" });
  await user.clear(message);
  await user.type(message, "Be brief");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Schedule saved")).toBeDefined();
  await edit();
  await user.selectOptions(screen.getByRole("combobox", { name: "Unit" }), "minutes");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(inputsOf(calls, "schedules.update")).toHaveLength(2));
  const [first, second] = inputsOf(calls, "schedules.update");
  expect(first).toMatchObject({
    version: 3,
    agent: { agentId: "clerk", message: "Be brief" },
    overlap: "skip",
  });
  expect(first).not.toHaveProperty("everySeconds");
  expect(second).toMatchObject({ cron: null, everySeconds: 120 });
});

test("is removed once its name is typed", async () => {
  const { user, calls, href } = await page({ "schedules.remove": () => ({ success: true }) });
  await choose(user, "Remove …");
  const remove = screen.getByRole<HTMLButtonElement>("button", { name: "Remove schedule" });
  expect(remove.disabled).toBe(true);
  await user.type(screen.getByRole("textbox", { name: /^Type/ }), "Report");
  await user.click(remove);
  await waitFor(() => expect(href()).toBe("/schedules"));
  expect(inputsOf(calls, "schedules.remove")).toEqual([
    { wId: "wks_1", scheduleId: "sch_1", version: 3 },
  ]);
});
