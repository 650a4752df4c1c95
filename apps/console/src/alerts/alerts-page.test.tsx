import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, Refusal } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { AlertBanner } from "./alert-banner.tsx";
import { AlertsPage } from "./alerts-page.tsx";
import type { Alert, Incident } from "./words.ts";

const alertOf = (changed: Partial<Alert> = {}): Alert => ({
  sId: "error-rate",
  isBuiltIn: true,
  name: "Many answers fail",
  measure: "error_rate",
  agentId: null,
  comparison: "above",
  threshold: 10,
  until: 5,
  windowMinutes: 15,
  forMinutes: 0,
  minAnswers: 10,
  isEnabled: true,
  openSince: null,
  version: 0,
  updatedAt: null,
  ...changed,
});
const incidentOf = (changed: Partial<Incident> = {}): Incident => ({
  sId: "inc_1",
  alertId: "error-rate",
  name: "Many answers fail",
  measure: "error_rate",
  threshold: 10,
  value: 25,
  worst: 37.5,
  beganAt: 1_000_000,
  openedAt: 1_000_000,
  closedAt: null,
  closedFor: null,
  ...changed,
});
const own = alertOf({
  sId: "alr_1",
  isBuiltIn: false,
  name: "Slow queue",
  measure: "oldest_queued",
  threshold: 90_000,
  forMinutes: 5,
  isEnabled: false,
  version: 2,
  updatedAt: 1,
});
const closed = incidentOf({ sId: "inc_2", name: "Was slow", closedAt: 2_000_000 });

const page = async (answers: Answers = {}, options: object = {}) =>
  show(<AlertsPage />, {
    href: "/alerts",
    answers: {
      "alerts.list": () => ({ alerts: [alertOf({ openSince: 1_000_000 }), own] }),
      "alerts.listIncidents": () => ({
        incidents: [closed, incidentOf()],
        hasMore: false,
        lastValue: null,
      }),
      ...answers,
    },
    ...options,
  });

test("shows open incidents first, and the rules in words", async () => {
  await page();
  const incidents = await screen.findByRole("group", { name: "Incidents" });
  const [, first, second] = within(incidents).getAllByRole("row");
  expect(first?.textContent).toMatch(/Many answers fail.*open.*25 % \(limit 10 %\).*37\.5 %/);
  expect(second?.textContent).toMatch(/Was slow.*closed/);
  const rules = screen.getByRole("group", { name: "Alerts" });
  expect(within(rules).getByText("Error rate in 15 min above 10 %")).toBeDefined();
  expect((await rowOf("Slow queue")).textContent).toMatch(
    /off.*Oldest queued run above 1 min 30 s for 5 min/,
  );
});

test("creates an alert", async () => {
  const { user, calls } = await page({
    "alerts.listIncidents": () => ({ incidents: [], hasMore: false, lastValue: null }),
    "alerts.create": () => ({ alert: own }),
  });
  await screen.findByText("No incidents");
  await user.click(screen.getByRole("button", { name: "Create alert" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Silent");
  await user.selectOptions(screen.getByRole("combobox", { name: "Measure" }), "Answers");
  await user.selectOptions(screen.getByRole("combobox", { name: "Opens" }), "Below the threshold");
  const threshold = screen.getByRole("spinbutton", { name: "Threshold" });
  await user.clear(threshold);
  await user.type(threshold, "1");
  await user.click(screen.getByRole("button", { name: "Create" }));
  await waitFor(() => expect(inputsOf(calls, "alerts.create")).toHaveLength(1));
  expect(inputsOf(calls, "alerts.create")[0]).toEqual({
    wId: "wks_1",
    name: "Silent",
    measure: "answers",
    agentId: null,
    comparison: "below",
    threshold: 1,
    until: 5,
    windowMinutes: 15,
    forMinutes: 0,
    minAnswers: 10,
  });
});

test("switches an alert on, and removes one of one's own", async () => {
  const { user, calls } = await page({
    "alerts.update": () => ({ alert: own }),
    "alerts.remove": () => ({ success: true }),
  });
  await user.click(await screen.findByRole("button", { name: "Actions of Slow queue" }));
  await user.click(await screen.findByRole("menuitem", { name: "Switch on" }));
  await waitFor(() =>
    expect(inputsOf(calls, "alerts.update")).toEqual([
      { wId: "wks_1", alertId: "alr_1", version: 2, isEnabled: true },
    ]),
  );
  await user.click(await screen.findByRole("button", { name: "Actions of Slow queue" }));
  await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
  await waitFor(() => expect(inputsOf(calls, "alerts.remove")).toHaveLength(1));
});

test("an alert is shown as switched before that is stored, and as it was if that is refused", async () => {
  const storing = Promise.withResolvers<unknown>();
  const { user } = await page({ "alerts.update": () => storing.promise });
  const row = await rowOf("Slow queue");
  expect(row.textContent).toContain("off");
  await user.click(within(row).getByRole("button"));
  await user.click(screen.getByRole("menuitem", { name: "Switch on" }));
  await waitFor(() => expect(row.textContent).toContain("OK"));
  storing.reject(new Refusal("Not now"));
  await waitFor(() => expect(row.textContent).toContain("off"));
  expect((await screen.findByRole("alert")).textContent).toContain("Not now");
});

test("builders change nothing", async () => {
  await page({}, { session: { role: "builder" } });
  await rowOf("Slow queue");
  expect(screen.queryByRole("button", { name: /Create|Actions/ })).toBeNull();
});

const banner = async (alerts: readonly Alert[], role: "builder" | "user" = "builder") =>
  show(<AlertBanner />, { session: { role }, answers: { "alerts.list": () => ({ alerts }) } });

test.for([
  [[alertOf({ openSince: 1 }), own], "Alert: Many answers fail. Show alerts"],
  [[alertOf({ openSince: 1 }), alertOf({ openSince: 1 })], "2 alerts are open. Show alerts"],
] as const)("open alerts are said above each page", async ([alerts, said]) => {
  await banner(alerts);
  expect((await screen.findByRole("status")).textContent).toBe(said);
});

test("nothing is said while all is well, and users read no alerts", async () => {
  const { calls } = await banner([alertOf()]);
  await waitFor(() => expect(inputsOf(calls, "alerts.list")).toHaveLength(1));
  expect(screen.queryByRole("status")).toBeNull();
  const { calls: none } = await banner([alertOf({ openSince: 1 })], "user");
  expect(inputsOf(none, "alerts.list")).toEqual([]);
});
