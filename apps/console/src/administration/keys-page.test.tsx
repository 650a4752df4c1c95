import { screen, waitFor, within } from "@testing-library/react";
import type { UserEvent } from "@testing-library/user-event";
import { expect, test } from "vitest";
import { type Answers, Refusal } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { KeysPage } from "./keys-page.tsx";

const keyOf = (name: string, changed: object = {}) => ({
  sId: `key_${name}`,
  name,
  role: "user",
  spaceIds: [],
  createdAt: 0,
  expiresAt: null,
  disabledAt: null,
  revokedAt: null,
  ...changed,
});

const keys = [
  keyOf("backend", { spaceIds: ["spc_2", "spc_9"] }),
  keyOf("paused", { disabledAt: 1 }),
  keyOf("visit", { expiresAt: 1 }),
  keyOf("gone", { revokedAt: 1 }),
];

const spaces = [{ sId: "spc_2", name: "Legal", isRestricted: true }];
const readable: Answers = {
  "apiKeys.list": () => ({ apiKeys: keys }),
  "spaces.listAll": () => ({ spaces, hasMore: false, lastValue: null }),
};

const page = async (answers: Answers = {}, query = "") =>
  show(<KeysPage />, { href: `/keys${query}`, answers: { ...readable, ...answers } });

const rows = () => screen.queryAllByRole("row").slice(1);
const rowOf = async (name: string) => (await screen.findByText(name)).closest("tr")!;

const choose = async (user: UserEvent, name: string, item: string) => {
  await user.click(within(await rowOf(name)).getByRole("button", { name: `Actions for ${name}` }));
  await user.click(screen.getByRole("menuitem", { name: item }));
};

test.for([
  ["backend", /Active/, ["Edit …", "Rotate …", "Disable", "Revoke …"]],
  ["paused", /Disabled/, ["Edit …", "Rotate …", "Enable", "Revoke …"]],
  ["visit", /Expired/, ["Edit …", "Rotate …", "Disable", "Revoke …"]],
] as const)("the key %s shows its state and its actions", async ([name, state, all]) => {
  const { user } = await page();
  const row = await rowOf(name);
  expect(row.textContent).toMatch(state);
  await user.click(within(row).getByRole("button"));
  expect(screen.getAllByRole("menuitem").map(({ textContent }) => textContent)).toEqual(all);
});

test("names the spaces of a key, and gives the id of one that it does not know", async () => {
  await page();
  await waitFor(async () =>
    expect((await rowOf("backend")).textContent).toContain("Open spaces, Legal, spc_9"),
  );
});

test("shows revoked keys only on request, without actions", async () => {
  const { user, href } = await page();
  await rowOf("backend");
  expect(rows()).toHaveLength(3);
  await user.click(screen.getByRole("checkbox", { name: "Include revoked" }));
  const row = await rowOf("gone");
  expect(href()).toBe("/keys?show=all");
  expect(row.textContent).toContain("Revoked");
  expect(within(row).queryByRole("button")).toBeNull();
});

test("shows the keys whose names have a text, which is in the URL", async () => {
  const { user, href } = await page({}, "?q=BACK");
  await rowOf("backend");
  expect(rows()).toHaveLength(1);
  await user.type(screen.getByRole("searchbox", { name: "Name" }), "no");
  expect(await screen.findByText("No matching keys")).toBeDefined();
  expect(href()).toBe("/keys?q=BACKno");
});

test("disables a key, and says so", async () => {
  const update = () => ({ apiKey: keyOf("backend", { disabledAt: 1 }) });
  const { user, calls } = await page({ "apiKeys.update": update });
  await choose(user, "backend", "Disable");
  expect(await screen.findByText("backend disabled")).toBeDefined();
  const { input } = calls.find(({ to }) => to === "apiKeys.update")!;
  expect(input).toEqual({ wId: "wks_1", keyId: "key_backend", disabled: true });
  // The list is refreshed.
  expect(calls.filter(({ to }) => to === "apiKeys.list")).toHaveLength(2);
});

test("says why a key could not be enabled", async () => {
  const update = () => {
    throw new Refusal("The key has expired");
  };
  const { user, calls } = await page({ "apiKeys.update": update });
  await choose(user, "paused", "Enable");
  expect((await screen.findByRole("alert")).textContent).toMatch(/has expired.*req_1/);
  expect(calls.at(-1)?.input).toEqual({ wId: "wks_1", keyId: "key_paused", disabled: false });
});

test("shows a new secret once, with the moment from which the one before is refused", async () => {
  const previousSecretExpiresAt = new Date("2099-12-31T23:59").getTime();
  const rotate = () => ({ secret: "sk-2", previousSecretExpiresAt });
  const { user } = await page({ "apiKeys.rotate": rotate });
  await choose(user, "backend", "Rotate …");
  await user.click(screen.getByRole("button", { name: "Rotate" }));
  const dialog = await screen.findByRole("dialog", { name: "New secret for backend" });
  const secret = within(dialog).getByRole<HTMLInputElement>("textbox", { name: "Secret" });
  expect(secret.value).toBe("sk-2");
  expect(dialog.textContent).toMatch(/stops working on Dec 31, 2099/);
  await user.click(within(dialog).getByRole("button", { name: "Done" }));
  expect(screen.queryByRole("dialog")).toBeNull();
  expect(document.body.innerHTML).not.toContain("sk-2");
});

test("is loading until the keys are known, and says why they could not be read", async () => {
  const reading = Promise.withResolvers<void>();
  const refuse = async () => {
    await reading.promise;
    throw new Refusal("Refused");
  };
  await page({ "apiKeys.list": refuse });
  expect(screen.getByRole("status", { name: "Loading the keys" })).toBeDefined();
  reading.resolve();
  expect((await screen.findByRole("alert")).textContent).toContain("Refused");
  expect(screen.queryByRole("status", { name: /Loading/ })).toBeNull();
});
