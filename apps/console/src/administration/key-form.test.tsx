import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { type Answers, Refusal } from "../../testing/answer-calls.ts";
import { show } from "../../testing/show.tsx";
import { KeyForm } from "./key-form.tsx";
import type { ApiKey } from "./key-state.ts";

type Done = Parameters<React.ComponentProps<typeof KeyForm>["onDone"]>[0];

const spaces = [
  { sId: "spc_1", name: "Company", isRestricted: false },
  { sId: "spc_2", name: "Legal", isRestricted: true },
  { sId: "spc_3", name: "Payroll", isRestricted: true },
];
const readable = { "spaces.listAll": () => ({ spaces, hasMore: false, lastValue: null }) };

const expiresAt = new Date("2099-12-31T23:59").getTime();
const backend: ApiKey = {
  sId: "key_1",
  name: "backend",
  role: "builder",
  spaceIds: ["spc_2"],
  createdAt: 0,
  expiresAt,
  disabledAt: null,
  revokedAt: null,
} as ApiKey;

/** Shows the form, of a new key or of one that is changed. */
async function open(answers: Answers, apiKey?: ApiKey) {
  const onDone = vi.fn<(done: Done) => void>();
  const form = <KeyForm {...(apiKey && { apiKey })} onDone={onDone} onClose={() => {}} />;
  return { ...(await show(form, { answers })), onDone };
}

const legal = async () => screen.findByRole<HTMLInputElement>("checkbox", { name: "Legal" });
const expires = () => screen.getByLabelText<HTMLInputElement>("Expires");
const inputOf = (calls: readonly { to: string; input: unknown }[], to: string) =>
  calls.find((call) => call.to === to)?.input;

test("a new key has its name, role, restricted spaces and the moment of the reader's zone", async () => {
  const create = () => ({ secret: "sk-1" });
  const { user, calls, onDone } = await open({ ...readable, "apiKeys.create": create });
  await user.click(await legal());
  expect(screen.queryByRole("checkbox", { name: "Company" })).toBeNull();
  await user.type(screen.getByRole("textbox", { name: "Name" }), "backend");
  await user.selectOptions(screen.getByRole("combobox", { name: "Role" }), "builder");
  fireEvent.change(expires(), { target: { value: "2099-12-31T23:59" } });
  await user.click(screen.getByRole("button", { name: "Create" }));
  await waitFor(() =>
    expect(onDone.mock.calls[0]?.[0]).toEqual({ name: "backend", secret: "sk-1" }),
  );
  const spaceIds = ["spc_2"];
  const created = { wId: "wks_1", name: "backend", role: "builder", expiresAt, spaceIds };
  expect(inputOf(calls, "apiKeys.create")).toEqual(created);
});

test("a new key expires never and reaches the open spaces, unless that is chosen", async () => {
  const create = () => ({ secret: "sk-1" });
  const { user, calls } = await open({ ...readable, "apiKeys.create": create });
  await legal();
  await user.type(screen.getByRole("textbox", { name: "Name" }), "backend{Enter}");
  await waitFor(() => expect(inputOf(calls, "apiKeys.create")).toBeDefined());
  const created = { wId: "wks_1", name: "backend", role: "user", spaceIds: [] };
  expect(inputOf(calls, "apiKeys.create")).toEqual(created);
});

test("editing starts with the key's current values, and can clear its expiry", async () => {
  const { user, calls, onDone } = await open(
    { ...readable, "apiKeys.update": () => ({}) },
    backend,
  );
  expect((await legal()).checked).toBe(true);
  expect(screen.getByRole<HTMLSelectElement>("combobox", { name: "Role" }).value).toBe("builder");
  expect(expires().value).toBe("2099-12-31T23:59");
  expect(screen.queryByRole("textbox", { name: "Name" })).toBeNull();
  await user.click(screen.getByRole("checkbox", { name: "Payroll" }));
  fireEvent.change(expires(), { target: { value: "" } });
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(onDone.mock.calls[0]?.[0]).toEqual({ name: "backend" }));
  const spaceIds = ["spc_2", "spc_3"];
  const changed = { wId: "wks_1", keyId: "key_1", role: "builder", expiresAt: null, spaceIds };
  expect(inputOf(calls, "apiKeys.update")).toEqual(changed);
});

test("a key keeps its spaces if the spaces could not be loaded", async () => {
  const refuse = () => {
    throw new Refusal("Refused");
  };
  const answers = { "spaces.listAll": refuse, "apiKeys.update": () => ({}) };
  const { user, calls } = await open(answers, backend);
  expect((await screen.findByRole("alert")).textContent).toContain(
    "The spaces could not be loaded",
  );
  await user.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(inputOf(calls, "apiKeys.update")).toBeDefined());
  expect(inputOf(calls, "apiKeys.update")).not.toHaveProperty("spaceIds");
});

test("keeps the typed values when the server refuses them", async () => {
  const refuse = () => {
    throw new Refusal("There is such a key", [{ path: "name", message: "must be another" }]);
  };
  const { user, onDone } = await open({ ...readable, "apiKeys.create": refuse });
  const name = screen.getByRole<HTMLInputElement>("textbox", { name: "Name" });
  await user.type(name, "backend{Enter}");
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toMatch(/There is such a key.*name must be another.*req_1/);
  expect(name.value).toBe("backend");
  expect(onDone).not.toHaveBeenCalled();
});
