import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import type { TraceDestination } from "./health.tsx";
import { headersIn } from "./destination-form.tsx";
import { TraceDestinationListPage } from "./list-page.tsx";

const destinationOf = (changed: Partial<TraceDestination> = {}): TraceDestination => ({
  sId: "trd_1",
  name: "Collector",
  url: "https://collector.example/v1/traces",
  encoding: "protobuf",
  headerNames: ["Authorization"],
  sendsContent: false,
  percent: 100,
  slowMs: null,
  isEnabled: true,
  exportedUntil: Date.UTC(2026, 10, 28, 12),
  failingSince: null,
  lastAttempt: null,
  sentSpans: 12,
  rejectedSpans: 0,
  skippedRuns: 0,
  exporting: null,
  version: 3,
  createdAt: 0,
  updatedAt: 0,
  ...changed,
});

const failed = { at: 0, status: 401, error: "It answered 401", isTest: false };
const failing = destinationOf({ name: "Locked", failingSince: 1, lastAttempt: failed });
const off = destinationOf({ sId: "trd_2", name: "Off", isEnabled: false, rejectedSpans: 3 });

const page = async (answers: Answers = {}, shown = [destinationOf(), failing, off]) =>
  show(<TraceDestinationListPage />, {
    href: "/trace-destinations",
    answers: {
      "traceDestinations.list": () => ({
        traceDestinations: shown,
        hasMore: false,
        lastValue: null,
      }),
      ...answers,
    },
  });

test.for([
  ["Collector", /on.*12 sent/],
  ["Locked", /failing since.*It answered 401/],
  ["Off", /off.*3 refused/],
] as const)("shows how %s is, in words", async ([name, state]) => {
  await page();
  expect((await rowOf(name)).textContent).toMatch(state);
});

test("adds a destination with its headers", async () => {
  const created = () => ({ traceDestination: destinationOf() });
  const { user, calls } = await page({ "traceDestinations.create": created }, []);
  await screen.findByText("No trace destinations yet");
  await user.click(screen.getByRole("button", { name: "Add destination" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Langfuse");
  await user.type(screen.getByRole("textbox", { name: "URL" }), "https://lf.example/v1/traces");
  await user.type(screen.getByRole("textbox", { name: "Headers" }), "Authorization: Basic a:b");
  await user.click(screen.getByRole("button", { name: "Add" }));
  await screen.findByText("Destination added");
  expect(inputsOf(calls, "traceDestinations.create")).toMatchObject([
    {
      name: "Langfuse",
      url: "https://lf.example/v1/traces",
      headers: { Authorization: "Basic a:b" },
      percent: 100,
      slowMs: null,
      sendsContent: false,
    },
  ]);
});

test.for([
  ["", undefined],
  ["A: b\n\n c-d :e:f ", { A: "b", "c-d": "e:f" }],
] as const)("reads headers: %s", ([text, headers]) => {
  expect(headersIn(text)).toEqual(headers);
});
