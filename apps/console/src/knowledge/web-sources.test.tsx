import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { inputsOf } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { WebSources } from "./web-sources.tsx";

const refresh = { startedAt: 0, endedAt: 0, read: 3, skipped: 0, failed: 0, removed: 0 };
const source = (sId: string, isRefreshing: boolean, lastRefresh: object | null) => ({
  sId,
  url: `https://${sId}.example/`,
  kind: "crawl",
  isRefreshing,
  lastRefresh,
  nextRefreshAt: null,
  version: 4,
});
const showSources = async () =>
  show(<WebSources viewId="dsv_1" />, {
    answers: {
      "webSources.list": () => ({
        webSources: [
          source("down", false, { ...refresh, outcome: "failed", failure: "Nobody answers" }),
          source("partly", false, { ...refresh, outcome: "succeeded", failure: null, failed: 2 }),
          source("busy", true, null),
        ],
        hasMore: false,
        lastValue: null,
      }),
      "webSources.listPages": () => ({
        webPages: [
          { url: "https://down.example/x", state: "failed", reason: "Gone", checkedAt: 0 },
        ],
        hasMore: false,
        lastValue: null,
      }),
      "webSources.refresh": () => ({}),
      "webSources.cancel": () => ({}),
      "webSources.create": () => ({ webSource: { url: "https://new.example/" } }),
    },
  });

test("web pages say how reading them went, and are read again or cancelled", async () => {
  const { user, calls } = await showSources();
  const down = within(await rowOf("https://down.example"));
  down.getByText("Nobody answers");
  within(await rowOf("https://partly.example")).getByText("2 pages could not be read");
  const busy = within(await rowOf("https://busy.example"));
  await user.click(down.getByRole("button", { name: /Read again/ }));
  await user.click(busy.getByRole("button", { name: /Cancel/ }));
  await waitFor(() =>
    expect([inputsOf(calls, "webSources.refresh"), inputsOf(calls, "webSources.cancel")]).toEqual([
      [{ wId: "wks_1", webSourceId: "down" }],
      [{ wId: "wks_1", webSourceId: "busy" }],
    ]),
  );
});

test("the pages of one say why they were not read", async () => {
  const { user, calls } = await showSources();
  const down = within(await rowOf("https://down.example"));
  await user.click(down.getByRole("button", { name: /Show pages/ }));
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByText("Gone");
  await user.selectOptions(dialog.getByRole("combobox", { name: "State" }), "failed");
  await waitFor(() =>
    expect(inputsOf(calls, "webSources.listPages").at(-1)).toMatchObject({
      webSourceId: "down",
      state: "failed",
    }),
  );
});

test("web pages are added with their depth, times and tags", async () => {
  const { user, calls } = await showSources();
  await user.click(await screen.findByRole("button", { name: "Add web pages" }));
  await user.type(screen.getByLabelText("URL"), "https://new.example/");
  await user.selectOptions(screen.getByLabelText("What is read"), "crawl");
  await user.type(screen.getByLabelText("Read again"), "0 3 * * *");
  await user.type(screen.getByLabelText("Tags"), "help, shop");
  await user.click(screen.getByRole("button", { name: "Add" }));
  await screen.findByText("https://new.example/ is being read");
  expect(inputsOf(calls, "webSources.create")).toMatchObject([
    {
      dataSourceViewId: "dsv_1",
      url: "https://new.example/",
      kind: "crawl",
      depth: 2,
      maxPages: 100,
      cron: "0 3 * * *",
      tags: ["help", "shop"],
    },
  ]);
});
