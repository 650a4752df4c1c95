import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { MembersPage } from "./members-page.tsx";

const memberOf = (name: string, changed: object = {}) => ({
  sId: `usr_${name}`,
  fullName: name,
  email: `${name}@example.com`,
  username: name.toLowerCase(),
  createdAt: 0,
  ...changed,
});
const listOf =
  (members: readonly object[], next: string | null = null) =>
  () => ({
    members,
    hasMore: next !== null,
    lastValue: next,
  });
const both = [memberOf("Ada"), memberOf("Bot", { email: "" })];

const page = async (answers: Answers = {}, query = "") =>
  show(<MembersPage />, {
    href: `/members${query}`,
    answers: { "members.list": listOf(both), ...answers },
  });

const field = (name: string) => screen.getByRole("textbox", { name });

test("is loading until the members are known, and says what to do if there are none", async () => {
  const reading = Promise.withResolvers<unknown>();
  await page({ "members.list": () => reading.promise });
  expect(screen.getByRole("status", { name: "Loading the members" })).toBeDefined();
  reading.resolve(listOf([])());
  expect(await screen.findByText("No members yet")).toBeDefined();
  const command = screen.getByRole("group", { name: "Command" });
  expect(command.textContent).toContain("/api/admin/workspaces/wks_1/members");
  expect(screen.queryByRole("status", { name: /Loading/ })).toBeNull();
});

test("says why the members could not be loaded, and tries again", async () => {
  let list: () => unknown = refuse("Refused");
  const { user } = await page({ "members.list": () => list() });
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/Refused.*req_1/);
  list = listOf(both);
  await user.click(within(alert).getByRole("button", { name: "Try again" }));
  await rowOf("Ada");
  expect(screen.queryByRole("alert")).toBeNull();
});

test("shows each with its address, or that it has none, and leads to the next page", async () => {
  const { user, calls, href } = await page({ "members.list": listOf(both, "usr_Bot") });
  expect((await rowOf("Ada")).textContent).toContain("Ada@example.com");
  expect((await rowOf("Bot")).textContent).toContain("none");
  await user.click(screen.getByRole("link", { name: "Next page" }));
  await waitFor(() => expect(href()).toBe("/members?after=usr_Bot"));
  await waitFor(() =>
    expect(inputsOf(calls, "members.list")).toEqual([
      { wId: "wks_1", limit: 50 },
      { wId: "wks_1", limit: 50, lastValue: "usr_Bot" },
    ]),
  );
});

test("adds a member without empty fields, says so, and refreshes the list", async () => {
  const add = () => ({ member: memberOf("Cleo") });
  const { user, calls } = await page({ "members.add": add });
  await rowOf("Ada");
  await user.click(screen.getByRole("button", { name: "Add member" }));
  await user.type(field("E-mail"), "cleo@example.com");
  await user.type(field("First name"), " Cleo ");
  await user.click(screen.getByRole("button", { name: "Add" }));
  expect(await screen.findByText("Cleo added")).toBeDefined();
  expect(screen.queryByRole("dialog")).toBeNull();
  const input = { wId: "wks_1", email: "cleo@example.com", firstName: "Cleo" };
  expect(inputsOf(calls, "members.add")).toEqual([input]);
  await waitFor(() => expect(inputsOf(calls, "members.list")).toHaveLength(2));
});

test("keeps the form when a member is refused, and says why", async () => {
  const { user } = await page({ "members.add": refuse("There is such a member") });
  await rowOf("Ada");
  await user.click(screen.getByRole("button", { name: "Add member" }));
  await user.type(field("E-mail"), "ada@example.com");
  await user.type(field("First name"), "Ada");
  await user.type(field("Last name"), "Lovelace{Enter}");
  const dialog = screen.getByRole("dialog");
  expect((await within(dialog).findByRole("alert")).textContent).toMatch(/such a member.*req_1/);
  expect((field("Last name") as HTMLInputElement).value).toBe("Lovelace");
});

test.for([
  ["Ada", "Ada@example.com"],
  ["Bot", "bot"],
] as const)("removes %s once %s is typed, and refreshes the list", async ([name, word]) => {
  const { user, calls } = await page({ "members.remove": () => ({ success: true }) });
  await user.click(within(await rowOf(name)).getByRole("button", { name: `Remove ${name}` }));
  await user.type(field(`Type “${word}” to confirm`), `${word}{Enter}`);
  expect(await screen.findByText(`${name} removed`)).toBeDefined();
  const input = { wId: "wks_1", memberId: `usr_${name}` };
  expect(inputsOf(calls, "members.remove")).toEqual([input]);
  await waitFor(() => expect(inputsOf(calls, "members.list")).toHaveLength(2));
});

test("erases what is remembered of a member once the address is typed", async () => {
  const { user, calls } = await page({ "memories.erase": () => ({ erased: 2 }) });
  const row = within(await rowOf("Ada"));
  await user.click(row.getByRole("button", { name: "Erase memories Ada" }));
  await user.type(field("Type “Ada@example.com” to confirm"), "Ada@example.com{Enter}");
  expect(await screen.findByText("Memories of Ada erased: 2")).toBeDefined();
  expect(inputsOf(calls, "memories.erase")).toEqual([{ wId: "wks_1", userId: "usr_Ada" }]);
});
