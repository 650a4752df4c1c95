import { screen, waitFor, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { type Answers, inputsOf, refuse } from "../../testing/answer-calls.ts";
import { rowOf, show } from "../../testing/show.tsx";
import { SecretFields } from "../functions/edit/secret-fields.tsx";
import { SecretsPage } from "./secrets-page.tsx";

const rates = { name: "RATES", createdAt: 1, updatedAt: 1 };
const token = { name: "TOKEN", createdAt: 1, updatedAt: 86_400_000 };
const answered: Answers = {
  "functionSecrets.list": () => ({ functionSecrets: [rates, token] }),
  "providerCredentials.list": () => ({ providerCredentials: [] }),
};

const page = async (answers: Answers = {}, role: "builder" | "admin" = "admin") =>
  show(<SecretsPage />, {
    href: "/secrets",
    session: { role },
    answers: { ...answered, ...answers },
  });

const ofFunctions = () => screen.getByRole("region", { name: "Function secrets" });
const ofProviders = () => screen.queryByRole("region", { name: "Model provider credentials" });

test("builders see the secrets of functions, and admins the credentials too", async () => {
  const { calls } = await page({}, "builder");
  await rowOf("RATES");
  expect(ofProviders()).toBeNull();
  expect(calls.map(({ to }) => to)).toEqual(["functionSecrets.list"]);
});

test("says when each was replaced, and shows no value", async () => {
  await page();
  expect((await rowOf("RATES")).textContent).toContain("never");
  expect((await rowOf("TOKEN")).textContent).not.toContain("never");
  expect(await screen.findByText("No credentials yet")).toBeDefined();
});

test("each section loads, fails and retries on its own", async () => {
  let list: () => unknown = refuse("Refused");
  const { user } = await page({ "functionSecrets.list": () => list() });
  const alert = await within(ofFunctions()).findByRole("alert");
  expect(alert.textContent).toMatch(/Refused.*req_1/);
  expect(within(ofProviders()!).queryByRole("alert")).toBeNull();
  list = () => ({ functionSecrets: [] });
  await user.click(within(alert).getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("No secrets yet")).toBeDefined();
});

test("sets a secret, says so, and refreshes the list", async () => {
  const { user, calls } = await page({ "functionSecrets.put": () => ({ functionSecret: rates }) });
  await rowOf("RATES");
  await user.click(screen.getByRole("button", { name: "Set secret" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "NEW");
  await user.type(screen.getByLabelText("Value"), "12345678");
  await user.click(screen.getByRole("button", { name: "Set" }));
  expect(await screen.findByText("Saved the secret")).toBeDefined();
  const input = { wId: "wks_1", name: "NEW", value: "12345678" };
  expect(inputsOf(calls, "functionSecrets.put")).toEqual([input]);
  await waitFor(() => expect(inputsOf(calls, "functionSecrets.list")).toHaveLength(2));
});

test("replaces a secret, whose name cannot be changed, after a refusal too", async () => {
  let put: () => unknown = refuse("Too short");
  const { user, calls } = await page({ "functionSecrets.put": () => put() });
  await user.click(within(await rowOf("TOKEN")).getByRole("button", { name: "Replace TOKEN" }));
  expect(screen.queryByRole("textbox", { name: "Name" })).toBeNull();
  await user.type(screen.getByLabelText("Value"), "12345678{Enter}");
  expect((await screen.findByRole("alert")).textContent).toMatch(/Too short.*req_1/);
  put = () => ({ functionSecret: token });
  await user.click(screen.getByRole("button", { name: "Replace" }));
  expect(await screen.findByText("Saved the secret")).toBeDefined();
  expect(inputsOf(calls, "functionSecrets.put").at(-1)).toEqual({
    wId: "wks_1",
    name: "TOKEN",
    value: "12345678",
  });
});

test("an error is gone when the form is reopened", async () => {
  const { user } = await page({ "functionSecrets.put": refuse("Too short") });
  await user.click(within(await rowOf("TOKEN")).getByRole("button", { name: "Replace TOKEN" }));
  await user.type(screen.getByLabelText("Value"), "12345678{Enter}");
  await screen.findByRole("alert");
  await user.keyboard("{Escape}");
  await user.click(screen.getByRole("button", { name: "Replace RATES" }));
  expect(screen.queryByRole("alert")).toBeNull();
});

test("removes a secret once its name is typed, and refreshes the list", async () => {
  const { user, calls } = await page({ "functionSecrets.remove": () => ({ success: true }) });
  await user.click(within(await rowOf("RATES")).getByRole("button", { name: "Remove RATES" }));
  await user.type(screen.getByRole("textbox", { name: /^Type/ }), "RATES{Enter}");
  expect(await screen.findByText("RATES removed")).toBeDefined();
  expect(inputsOf(calls, "functionSecrets.remove")).toEqual([{ wId: "wks_1", name: "RATES" }]);
  await waitFor(() => expect(inputsOf(calls, "functionSecrets.list")).toHaveLength(2));
});

test("sets the credential of the provider that is chosen", async () => {
  const { user, calls } = await page({ "providerCredentials.put": () => ({}) });
  await rowOf("RATES");
  await user.click(screen.getByRole("button", { name: "Set credential" }));
  await user.selectOptions(screen.getByRole("combobox", { name: "Provider" }), "Mistral");
  await user.type(screen.getByLabelText("API key"), "key-1{Enter}");
  expect(await screen.findByText("Saved the credential")).toBeDefined();
  const input = { wId: "wks_1", providerId: "mistral", apiKey: "key-1" };
  expect(inputsOf(calls, "providerCredentials.put")).toEqual([input]);
});

test("a new secret is offered to functions at once, with one read for both", async () => {
  let functionSecrets = [rates];
  const both = (
    <>
      <SecretsPage />
      <SecretFields secrets={[]} onChange={() => {}} />
    </>
  );
  const { user, calls } = await show(both, {
    href: "/secrets",
    session: { role: "builder" },
    answers: {
      "functionSecrets.list": () => ({ functionSecrets }),
      "functionSecrets.put": () => {
        functionSecrets = [rates, token];
        return { functionSecret: token };
      },
    },
  });
  await screen.findByRole("checkbox", { name: "RATES" });
  await user.click(screen.getByRole("button", { name: "Set secret" }));
  await user.type(screen.getByRole("textbox", { name: "Name" }), "TOKEN");
  await user.type(screen.getByLabelText("Value"), "12345678{Enter}");
  expect(await screen.findByRole("checkbox", { name: "TOKEN" })).toBeDefined();
  expect(inputsOf(calls, "functionSecrets.list")).toHaveLength(2);
});
