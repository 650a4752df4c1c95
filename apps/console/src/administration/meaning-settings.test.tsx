import { screen, within } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { MeaningSettings } from "./meaning-settings.tsx";

const embedding = {
  providerId: "openai",
  modelId: "text-embedding-3-small",
  dimensions: 1536,
  askedDimensions: null,
  state: "complete",
  problem: null,
  retryAt: null,
  isReplacing: false,
};
const statusOf = (changed: object = {}, of: object | null = {}) => ({
  mode: "exact",
  embedding: of && { ...embedding, ...of },
  parts: 120,
  embeddedParts: 120,
  ...changed,
});
const withoutModel = statusOf({ mode: "word", embeddedParts: 0 }, null);

const section = async (status: unknown, answers: Answers = {}) =>
  show(<MeaningSettings />, {
    answers: { "knowledge.status": () => status, ...answers },
  });

/** What the section says of the search, once it is there. */
const progress = async () => {
  const box = await screen.findByRole("combobox", { name: "Service of vectors" });
  const statuses = within(box.closest("section")!).getAllByRole("status");
  return statuses.map(({ textContent }) => textContent).join(" ");
};
const field = (name: string) => screen.getByRole<HTMLInputElement>("textbox", { name });

test.each([
  ["word", "By words word"],
  ["re-ranked", "By words, in the order of their meaning re-ranked"],
  ["exact", "By words and meaning exact"],
  ["hnsw", "By words and meaning, with an index hnsw"],
])("says how documents are found: %s", async (mode, words) => {
  await section(statusOf({ mode }));
  expect(await progress()).toContain(words);
});

test("says of a workspace without a model only that words count, and fills nothing in", async () => {
  await section(withoutModel);
  expect(await progress()).not.toContain("have a vector");
  expect(screen.getByRole<HTMLSelectElement>("combobox").value).toBe("");
  expect(field("Model of vectors").value).toBe("");
});

test("shows how far the vectors are, and of which model they are until then", async () => {
  await section(statusOf({ embeddedParts: 30 }, { state: "building", isReplacing: true }));
  const said = await progress();
  expect(said).toContain("30 of 120 parts have a vector building");
  expect(said).toContain("the vectors of the model before are used");
  expect(field("Model of vectors").value).toBe("text-embedding-3-small");
  expect(field("Dimensions").value).toBe("");
});

test("reads on while vectors are made, and no more once all are", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  let status: unknown = statusOf({ embeddedParts: 30 }, { state: "building" });
  const { calls } = await section(undefined, { "knowledge.status": () => status });
  expect(await progress()).toContain("30 of 120");
  status = statusOf();
  await vi.advanceTimersByTimeAsync(3000);
  expect(await screen.findByText(/120 of 120 parts have a vector/)).toBeDefined();
  const count = inputsOf(calls, "knowledge.status").length;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(inputsOf(calls, "knowledge.status")).toHaveLength(count);
  vi.useRealTimers();
});

test("says why no vectors are made, and when it continues", async () => {
  const problem = "A budget of the workspace is used up";
  await section(statusOf({}, { state: "budget", problem, retryAt: Date.UTC(2030, 0, 1) }));
  expect(await progress()).toMatch(
    /A budget of the workspace is used up; it continues .*20(29|30)/,
  );
});

test("saves a model with its dimensions, and none of them as null", async () => {
  const saved = { "workspaces.update": () => ({ workspace: {} }) };
  const { user, calls } = await section(withoutModel, saved);
  await progress();
  await user.selectOptions(screen.getByRole("combobox"), "openai_compatible");
  await user.type(field("Model of vectors"), "bge-m3");
  await user.click(screen.getByRole("button", { name: "Save search" }));
  expect(await screen.findByText("Search of documents saved")).toBeDefined();
  await user.type(field("Dimensions"), "256");
  await user.click(screen.getByRole("button", { name: "Save search" }));
  const chosen = { providerId: "openai_compatible", modelId: "bge-m3" };
  await vi.waitFor(() =>
    expect(inputsOf(calls, "workspaces.update")).toEqual([
      { wId: "wks_1", embedding: { ...chosen, dimensions: null } },
      { wId: "wks_1", embedding: { ...chosen, dimensions: 256 } },
    ]),
  );
});

test("removes the model, and says why that was refused", async () => {
  const { user, calls } = await section(statusOf(), { "workspaces.update": refuse("Not now") });
  await progress();
  await user.selectOptions(screen.getByRole("combobox"), "");
  await user.click(screen.getByRole("button", { name: "Save search" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Not now");
  expect(inputsOf(calls, "workspaces.update")).toEqual([{ wId: "wks_1", embedding: null }]);
});
