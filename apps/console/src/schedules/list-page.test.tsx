import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, Refusal, refuse } from "../../testing/answer-calls.ts";
import { firingOf, scheduleOf } from "../../testing/models.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { ScheduleListPage } from "./list-page.tsx";

const listOf = (schedules: readonly object[]) => () => ({
  schedules,
  hasMore: false,
  lastValue: null,
});
const pausedAt = Date.UTC(2026, 10, 28, 12);
const all = [
  scheduleOf({ name: "Daily", lastFiring: firingOf() }),
  scheduleOf({ sId: "sch_2", name: "Hourly", cron: null, everySeconds: 3600, failingSince: 1 }),
  scheduleOf({ sId: "sch_3", name: "Off", pausedFor: "request", pausedAt, nextSlot: null }),
  scheduleOf({ sId: "sch_4", name: "Lost", pausedFor: "key_revoked", pausedAt, nextSlot: null }),
];
const choices: Answers = {
  "agents.list": () => ({ agentConfigurations: [{ sId: "clerk", name: "Clerk" }] }),
  "sandboxFunctions.list": () => ({
    sandboxFunctions: [{ sId: "sfn_1", slug: "add" }],
    hasMore: false,
    lastValue: null,
  }),
  "spaces.list": () => ({
    spaces: [
      { sId: "vlt_0", name: "Company", kind: "global" },
      { sId: "vlt_1", name: "Support", kind: "regular" },
    ],
  }),
  "apiKeys.list": () => ({
    apiKeys: [
      { sId: "key_1", name: "ci", revokedAt: null },
      { sId: "key_2", name: "old", revokedAt: 1 },
    ],
  }),
  "schedules.preview": () => ({ slots: [Date.UTC(2026, 10, 30), Date.UTC(2026, 11, 1)] }),
};
const page = async (answers: Answers = {}, role: "admin" | "builder" = "admin") =>
  show(<ScheduleListPage />, {
    href: "/schedules",
    session: { role },
    answers: { "schedules.list": listOf(all), ...choices, ...answers },
  });

test.for([
  ["Daily", /Active0 9 \* \* \*Nov 29, 2026.*in Asia\/TokyoNov 30, 2026.*9:00 AM in Asia\/Tokyo$/],
  ["Hourly", /Failing since Jan 1, 1970.*every hour/],
  ["Off", /Paused Nov 28, 2026/],
  ["Lost", /Paused the key that it acts for is no longer valid, Nov 28, 2026/],
] as const)("shows how %s is, in words, with its last and next times", async ([name, said]) => {
  await page();
  const row = await rowOf(name);
  expect(row.textContent).toMatch(said);
  expect(within(row).getByRole("link", { name })).toBeDefined();
});

test("creates a schedule for an agent, after the next times of its expression are shown", async () => {
  const { user, calls } = await page({
    "schedules.list": listOf([]),
    "schedules.create": () => ({ schedule: scheduleOf() }),
  });
  await screen.findByText("No schedules yet");
  await user.click(screen.getByRole("button", { name: "Create schedule" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Report");
  await screen.findByRole("option", { name: "Clerk" });
  await user.selectOptions(screen.getByRole("combobox", { name: "Agent" }), "Clerk");
  await user.type(screen.getByRole("textbox", { name: "Message" }), "Write it");
  await user.selectOptions(screen.getByRole("combobox", { name: "Space" }), "Support");
  await user.type(screen.getByRole("textbox", { name: "Cron expression" }), "0 9 * * *");
  const zone = screen.getByRole("combobox", { name: "Time zone" });
  await user.clear(zone);
  await user.type(zone, "Asia/Tokyo");
  const next = screen.getByRole("status", { name: "Next times" });
  await waitFor(() => expect(next.textContent).toContain("Nov 30, 2026, 9:00 AM in Asia/Tokyo"));
  expect(inputsOf(calls, "schedules.preview").at(-1)).toEqual({
    wId: "wks_1",
    cron: "0 9 * * *",
    everySeconds: null,
    timezone: "Asia/Tokyo",
  });
  expect(screen.queryByRole("option", { name: "old" })).toBeNull();
  await user.selectOptions(screen.getByRole("combobox", { name: "Acts for the key" }), "ci");
  await user.click(screen.getByRole("button", { name: "Create" }));
  expect(await screen.findByText("Report created")).toBeDefined();
  expect(inputsOf(calls, "schedules.create")).toEqual([
    {
      wId: "wks_1",
      name: "Report",
      description: "",
      agent: expect.objectContaining({
        agentId: "clerk",
        agentVersion: null,
        conversationId: null,
        message: "Write it",
        spaceId: "vlt_1",
      }),
      cron: "0 9 * * *",
      everySeconds: null,
      timezone: "Asia/Tokyo",
      overlap: "skip",
      missed: "last",
      jitterSeconds: 0,
      keyId: "key_1",
    },
  ]);
  await waitFor(() => expect(inputsOf(calls, "schedules.list")).toHaveLength(2));
});

test("says what is wrong with an expression while it is typed", async () => {
  const preview = () => {
    const issue = { path: "cron", message: "minute: must be 0 to 59" };
    throw new Refusal("Invalid request body", [issue]);
  };
  const { user } = await page({ "schedules.preview": preview });
  await rowOf("Daily");
  await user.click(screen.getByRole("button", { name: "Create schedule" }));
  await user.type(screen.getByRole("textbox", { name: "Cron expression" }), "61 * * * *");
  const next = screen.getByRole("status", { name: "Next times" });
  await waitFor(() => expect(next.textContent).toBe("Cron expression: minute: must be 0 to 59"));
});

test("creates a schedule for a function at an interval; builders choose no key", async () => {
  const { user, calls } = await page(
    { "schedules.create": refuse("the workspace has 100 schedules") },
    "builder",
  );
  await rowOf("Daily");
  await user.click(screen.getByRole("button", { name: "Create schedule" }));
  expect(screen.queryByRole("combobox", { name: "Acts for the key" })).toBeNull();
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Totals");
  await user.selectOptions(screen.getByRole("combobox", { name: "Starts" }), "A function");
  await screen.findByRole("option", { name: "add" });
  await user.selectOptions(screen.getByRole("combobox", { name: "Function" }), "add");
  const input = screen.getByRole("textbox", { name: "Input (JSON)" });
  await user.type(input, "{{");
  await user.selectOptions(screen.getByRole("combobox", { name: "When" }), "At an interval");
  const every = screen.getByRole("spinbutton", { name: "Every" });
  await user.clear(every);
  await user.type(every, "15");
  await user.selectOptions(screen.getByRole("combobox", { name: "Unit" }), "minutes");
  await user.click(screen.getByRole("button", { name: "Create" }));
  expect((await screen.findByRole("alert")).textContent).toMatch(/^Input: Invalid JSON/);
  expect(inputsOf(calls, "schedules.create")).toEqual([]);
  await user.type(input, '"day": 1}');
  await user.click(screen.getByRole("button", { name: "Create" }));
  await waitFor(() => expect(screen.getByRole("alert").textContent).toContain("has 100 schedules"));
  expect(inputsOf(calls, "schedules.create")).toEqual([
    expect.objectContaining({
      function: { functionId: "sfn_1", functionVersion: null, input: { day: 1 } },
      cron: null,
      everySeconds: 900,
    }),
  ]);
});
