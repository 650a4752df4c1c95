import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { numberOf } from "../routing/search.ts";
import { OverviewPage } from "./overview-page.tsx";
import { changeOf, formatStep, type Measures, rangeOf } from "./periods.ts";

// happy-dom has no canvas to draw in; the browser's tests look at what is drawn.
vi.mock("uplot", () => ({
  default: class {
    readonly cursor = {};
    readonly width = 1;
    setData() {}
    setSize() {}
    redraw() {}
    destroy() {}
  },
}));

const MINUTE_MS = 60_000;
const noon = Date.UTC(2026, 10, 28, 12);
const latency = { count: 3, p50: 500, p95: 2000, p99: 4000 };
const figures = (changed: Partial<Measures["totals"]> = {}): Measures["totals"] => ({
  answers: 0,
  errored: 0,
  cancelled: 0,
  toolCalls: 0,
  toolCallsErrored: 0,
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  amounts: [],
  firstToken: null,
  whole: null,
  ...changed,
});
const now = figures({
  answers: 30,
  errored: 3,
  firstToken: latency,
  whole: { ...latency, p95: 8000 },
  amounts: [{ currency: "USD", amount: "1.5" }],
});
const measures: Measures = {
  from: noon - 2 * MINUTE_MS,
  to: noon,
  stepMs: MINUTE_MS,
  points: [
    { startsAt: noon - 2 * MINUTE_MS, ...figures() },
    { startsAt: noon - MINUTE_MS, ...now },
  ],
  totals: now,
  before: figures({ answers: 20, firstToken: { ...latency, p95: 1000 } }),
  top: [
    { id: "helper", name: "Helper", ...now },
    { id: null, name: null, ...figures({ answers: 1 }) },
  ],
  writtenUntil: noon,
};
const series = {
  conversations: [2],
  turns: [0],
  turnsErrored: [0],
  invocations: [0],
  invocationsErrored: [0],
  inputTokens: [0],
  outputTokens: [0],
  cachedInputTokens: [0],
  cacheWriteTokens: [0],
  reasoningTokens: [0],
  waitingRuns: [4],
  oldestWaitingMs: [0],
  openStreams: [0],
};
const activity = {
  bucketMs: MINUTE_MS,
  times: [noon - MINUTE_MS],
  series,
  now: { at: noon, waitingRuns: 4, oldestWaitingMs: 61_000, runningRuns: 1, openStreams: 2 },
};

const page = async (answers: Answers = {}, options: object = {}) =>
  show(<OverviewPage />, {
    href: "/overview",
    validateSearch: (search) => ({
      ...search,
      from: numberOf(search, "from"),
      to: numberOf(search, "to"),
    }),
    answers: {
      "measures.get": () => measures,
      "measures.getServer": () => ({ ...measures, top: [] }),
      "overview.get": () => activity,
      "overview.getServer": () => activity,
      ...answers,
    },
    ...options,
  });

const figureOf = (name: string) =>
  screen.getByText(name, { selector: "dt" }).parentElement?.textContent;

test("shows figures with their change against the period before, and what is queued now", async () => {
  await page();
  await screen.findByText("Answers per minute");
  expect(figureOf("Answers per minute")).toContain("15.00");
  expect(figureOf("First token, p95")).toBe(
    "First token, p952.0 s+100 % against the period before",
  );
  expect(figureOf("Whole answer, p95")).toBe("Whole answer, p958.0 s");
  expect(figureOf("Cost in USD")).toContain("$1.50");
  expect(figureOf("Oldest queued")).toBe("Oldest queued1 min 1 s");
});

test("each chart names its lines, and each of its numbers leads to its runs", async () => {
  const { user } = await page();
  const chart = await screen.findByRole("region", { name: "Time to first token" });
  for (const name of ["p50", "p95", "p99"]) {
    expect(within(chart).getByText(name)).toBeDefined();
  }
  await user.click(within(chart).getByText("Numbers"));
  const [newest, oldest] = within(chart).getAllByRole("link");
  expect(newest?.getAttribute("href")).toBe(`/runs?endedFrom=${noon - MINUTE_MS}&endedTo=${noon}`);
  expect(oldest?.closest("tr")?.textContent).toContain("–");
});

test("the largest lead to their runs, and what is not among them is together", async () => {
  const { user, calls, href } = await page();
  const row = await rowOf("Helper");
  expect(row.textContent).toMatch(/30.*10\.0 %.*2\.0 s.*8\.0 s.*\$1\.50/);
  expect(within(row).getByRole("link", { name: "Helper" }).getAttribute("href")).toBe(
    `/runs?endedFrom=${measures.from}&endedTo=${measures.to}&agent=helper`,
  );
  expect((await rowOf("Others")).textContent).toContain("1");
  await user.selectOptions(screen.getByRole("combobox", { name: "By" }), "Model");
  expect(href()).toBe("/overview?by=model");
  expect(inputsOf(calls, "measures.get").at(-1)).toMatchObject({ dimension: "model" });
  expect((await screen.findByRole("link", { name: "Helper" })).getAttribute("href")).toBe(
    `/runs?endedFrom=${measures.from}&endedTo=${measures.to}&model=helper`,
  );
});

test("the period is in the URL, also one of one's own", async () => {
  const { user, calls, href } = await page();
  await screen.findByText("Answers per minute");
  await user.selectOptions(screen.getByRole("combobox", { name: "Period" }), "Last 7 days");
  expect(href()).toBe("/overview?period=week");
  const asked = inputsOf(calls, "measures.get").at(-1) as { from: number; to: number };
  expect(asked.to - asked.from).toBe(7 * 24 * 60 * MINUTE_MS);
  await user.selectOptions(screen.getByRole("combobox", { name: "Period" }), "Custom …");
  expect(href()).toMatch(/^\/overview\?period=custom&from=\d+&to=\d+$/);
  expect(await screen.findByLabelText("From")).toBeDefined();
});

test("operators see the server, by workspace", async () => {
  const { calls } = await page({}, { session: { role: "operator", workspace: null } });
  await screen.findByText("Server overview");
  await screen.findByText("Nothing happened in this period");
  expect(inputsOf(calls, "measures.getServer").at(-1)).toMatchObject({ dimension: "workspace" });
});

test("says why the figures could not be read", async () => {
  await page({ "measures.get": refuse("Refused") });
  expect((await screen.findByRole("alert")).textContent).toMatch(/Refused/);
});

test("a custom range that is not complete is the last day", () => {
  const day = { from: noon - 24 * 60 * MINUTE_MS, to: noon };
  expect(rangeOf({ period: "custom", from: 5 }, noon)).toEqual(day);
  expect(rangeOf({ period: "custom", from: 5, to: 4 }, noon)).toEqual(day);
  expect(rangeOf({ period: "custom", from: 4, to: 5 }, noon)).toEqual({ from: 4, to: 5 });
});

test("changes are in percent, and steps in what tells them apart", () => {
  expect(changeOf(3, 2)).toBe("+50 %");
  expect(changeOf(1, 2)).toBe("-50 %");
  expect(changeOf(1, 0)).toBeUndefined();
  expect(changeOf(null, 1)).toBeUndefined();
  expect(formatStep(noon, 24 * 60 * MINUTE_MS)).not.toMatch(/:/);
  expect(formatStep(noon, 60 * MINUTE_MS)).toMatch(/28.*:/);
});
