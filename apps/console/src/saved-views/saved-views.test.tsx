import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { SavedViews } from "./saved-views.tsx";

const view = {
  sId: "svw_1",
  page: "runs",
  name: "Failed",
  query: "status=errored",
  isShared: true,
  isOwn: true,
  version: 2,
  createdAt: 1,
  updatedAt: 1,
};
const answersWith = (savedViews: object[], more: Answers = {}): Answers => ({
  "savedViews.list": () => ({ savedViews, hasMore: false, lastValue: null }),
  ...more,
});
const open = async (href: string, answers: Answers) => {
  const shown = await show(<SavedViews page="runs" />, { href, answers });
  await shown.user.click(screen.getByRole("button", { name: "Views" }));
  return shown;
};

test("leads to a saved view, without the place in the list that was open", async () => {
  const { user, href } = await open("/runs?kind=turn&after=1.1", answersWith([view]));
  await user.click(await screen.findByRole("menuitem", { name: /Failed/ }));
  expect(href()).toBe("/runs?status=errored");
});

test("saves the filters of the page under a name", async () => {
  const create = () => ({ savedView: view });
  const answers = answersWith([], { "savedViews.create": create });
  const { user, calls } = await open("/runs?kind=turn&after=1.1", answers);
  await user.click(await screen.findByRole("menuitem", { name: "Save this view …" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Turns");
  await user.click(screen.getByRole("checkbox", { name: "Share with the workspace" }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  const saved = { wId: "wks_1", page: "runs", query: "kind=turn", name: "Turns", isShared: true };
  await waitFor(() => expect(inputsOf(calls, "savedViews.create")).toEqual([saved]));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("removes the view that is open", async () => {
  const remove = () => ({ success: true });
  const answers = answersWith([view], { "savedViews.remove": remove });
  const { user, calls } = await open("/runs?status=errored", answers);
  await user.click(await screen.findByRole("menuitem", { name: "Remove “Failed”" }));
  const removed = { wId: "wks_1", savedViewId: "svw_1", version: 2 };
  await waitFor(() => expect(inputsOf(calls, "savedViews.remove")).toEqual([removed]));
});

test("is not there for tokens of users, which have none", async () => {
  await show(<SavedViews page="runs" />, { href: "/runs", session: { scopes: [] } });
  expect(screen.queryByRole("button", { name: "Views" })).toBeNull();
});
