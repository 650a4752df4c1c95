import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { SpacesPage } from "./spaces-page.tsx";

const spaceOf = (name: string, changed: object = {}) => ({
  sId: `vlt_${name}`,
  name,
  isRestricted: false,
  keyIds: [],
  updatedAt: 0,
  ...changed,
});
const listOf = (spaces: readonly object[]) => () => ({ spaces, hasMore: false, lastValue: null });
const legal = spaceOf("Legal", { isRestricted: true, keyIds: ["key_1", "key_9"] });
const spaces = [spaceOf("Company"), legal, spaceOf("Empty", { isRestricted: true })];
const keys = [
  { sId: "key_1", name: "backend", role: "user", revokedAt: null },
  { sId: "key_2", name: "gone", role: "user", revokedAt: 1 },
  { sId: "key_3", name: "ops", role: "admin", revokedAt: null },
];

const page = async (answers: Answers = {}) =>
  show(<SpacesPage />, {
    href: "/spaces",
    answers: {
      "spaces.listAll": listOf(spaces),
      "apiKeys.list": () => ({ apiKeys: keys }),
      ...answers,
    },
  });

const press = async (user: Awaited<ReturnType<typeof page>>["user"], what: string, name: string) =>
  user.click(within(await rowOf(name)).getByRole("button", { name: `${what} ${name}` }));

test("is loading until the spaces are known, and explains spaces if there are none", async () => {
  const reading = Promise.withResolvers<unknown>();
  await page({ "spaces.listAll": () => reading.promise });
  expect(screen.getByRole("status", { name: "Loading the spaces" })).toBeDefined();
  reading.resolve(listOf([])());
  expect(await screen.findByText("No spaces yet")).toBeDefined();
  expect(screen.queryByRole("status", { name: /Loading/ })).toBeNull();
});

test("says why the spaces could not be read", async () => {
  await page({ "spaces.listAll": refuse("Refused") });
  expect((await screen.findByRole("alert")).textContent).toMatch(/Refused.*req_1/);
  expect(screen.queryByRole("table")).toBeNull();
});

test("says which keys reach a space, with the id of one that it does not know", async () => {
  await page();
  expect((await rowOf("Company")).textContent).toContain("all keys");
  expect((await rowOf("Empty")).textContent).toContain("restrictedno keys");
  await waitFor(async () =>
    expect((await rowOf("Legal")).textContent).toContain("restrictedbackend, key_9"),
  );
});

test("creates a restricted space for the keys that are checked; revoked ones are not offered", async () => {
  const create = () => ({ space: spaceOf("Payroll") });
  const { user, calls } = await page({ "spaces.create": create });
  await rowOf("Company");
  await user.click(screen.getByRole("button", { name: "Create space" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Payroll");
  expect(screen.queryByRole("group", { name: "Keys with access" })).toBeNull();
  await user.click(screen.getByRole("checkbox", { name: "Restricted" }));
  const group = await screen.findByRole("group", { name: "Keys with access" });
  expect(within(group).getAllByRole("checkbox")).toHaveLength(2);
  await user.click(within(group).getByRole("checkbox", { name: "ops (admin)" }));
  await user.click(screen.getByRole("button", { name: "Create" }));
  expect(await screen.findByText("Payroll created")).toBeDefined();
  const input = { wId: "wks_1", name: "Payroll", isRestricted: true, keyIds: ["key_3"] };
  expect(inputsOf(calls, "spaces.create")).toEqual([input]);
  await waitFor(() => expect(inputsOf(calls, "spaces.listAll")).toHaveLength(2));
});

test("opens a space to all keys, and leaves its keys as they are", async () => {
  const update = () => ({ space: spaceOf("Law") });
  const { user, calls } = await page({ "spaces.update": update });
  await press(user, "Edit", "Legal");
  const box = await screen.findByRole<HTMLInputElement>("checkbox", { name: "backend (user)" });
  expect(box.checked).toBe(true);
  await user.clear(screen.getByRole("textbox", { name: "Name" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "Law");
  await user.click(screen.getByRole("checkbox", { name: "Restricted" }));
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Law saved")).toBeDefined();
  const input = { wId: "wks_1", spaceId: "vlt_Legal", name: "Law", isRestricted: false };
  expect(inputsOf(calls, "spaces.update")).toEqual([input]);
});

test("a space keeps its keys if the keys could not be loaded", async () => {
  const { user, calls } = await page({
    "apiKeys.list": refuse("Refused"),
    "spaces.update": () => ({ space: legal }),
  });
  await press(user, "Edit", "Legal");
  expect((await screen.findByRole("alert")).textContent).toContain("The keys could not be loaded");
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Legal saved")).toBeDefined();
  const input = { wId: "wks_1", spaceId: "vlt_Legal", name: "Legal", isRestricted: true };
  expect(inputsOf(calls, "spaces.update")).toEqual([input]);
});

test.for([false, true])("deletes a space, with its contents: %s", async (withContent) => {
  const { user, calls } = await page({ "spaces.delete": () => ({ success: true }) });
  await press(user, "Delete", "Legal");
  if (withContent) {
    await user.click(screen.getByRole("checkbox", { name: "Delete its contents too" }));
  }
  await user.type(screen.getByRole("textbox", { name: /^Type/ }), "Legal{Enter}");
  expect(await screen.findByText("Legal deleted")).toBeDefined();
  const input = { wId: "wks_1", spaceId: "vlt_Legal", withContent };
  expect(inputsOf(calls, "spaces.delete")).toEqual([input]);
  await waitFor(() => expect(inputsOf(calls, "spaces.listAll")).toHaveLength(2));
});

test("says why a space is not deleted, and keeps it", async () => {
  const { user } = await page({ "spaces.delete": refuse("It holds conversations") });
  await press(user, "Delete", "Legal");
  await user.type(screen.getByRole("textbox", { name: /^Type/ }), "Legal{Enter}");
  expect((await screen.findByRole("alert")).textContent).toMatch(/holds conversations.*req_1/);
  expect(screen.getByRole("dialog", { name: "Delete space" })).toBeDefined();
});
