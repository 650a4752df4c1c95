import { screen } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { type Answers, Refusal } from "../../../testing/answer-calls.ts";
import { show } from "../../../testing/show.tsx";
import type { UsedSecret } from "./draft.ts";
import { SecretFields } from "./secret-fields.tsx";

const namesOf = (...names: readonly string[]): Answers => ({
  "functionSecrets.list": () => ({ functionSecrets: names.map((name) => ({ name })) }),
});

let chosen: readonly UsedSecret[];

function Fields({ initial }: { readonly initial: readonly UsedSecret[] }) {
  const [secrets, setSecrets] = useState(initial);
  chosen = secrets;
  return <SecretFields secrets={secrets} onChange={setSecrets} />;
}

const open = async (answers: Answers, initial: readonly UsedSecret[] = []) =>
  show(<Fields initial={initial} />, { answers });

const box = async (name: string) => screen.findByRole<HTMLInputElement>("checkbox", { name });
const names = () =>
  screen.queryAllByRole("checkbox").map((one) => one.closest("label")?.textContent);

test("a secret that is used is not read by the code, unless that is chosen too", async () => {
  const { user } = await open(namesOf("OTHER", "RATES"));
  await user.click(await box("RATES"));
  expect(chosen).toEqual([{ name: "RATES", readable: false }]);
  expect(names()).toEqual(["OTHER", "RATES", "The code may read RATES"]);
  expect(screen.getByText(/^In a header, write/).textContent).toContain("{{secrets.RATES}}");
  await user.click(await box("The code may read RATES"));
  await user.click(await box("OTHER"));
  expect(chosen).toEqual([
    { name: "RATES", readable: true },
    { name: "OTHER", readable: false },
  ]);
  await user.click(await box("RATES"));
  expect(chosen).toEqual([{ name: "OTHER", readable: false }]);
});

test("a secret that the workspace no longer has can be deselected", async () => {
  const { user } = await open(namesOf(), [{ name: "GONE", readable: false }]);
  await user.click(await box("GONE"));
  expect(chosen).toEqual([]);
  const link = await screen.findByRole("link", { name: "Set one" });
  expect(link.getAttribute("href")).toBe("/secrets");
});

test("says that the secrets could not be read, and keeps those that are used", async () => {
  const refuse = () => {
    throw new Refusal("Refused");
  };
  await open({ "functionSecrets.list": refuse }, [{ name: "RATES", readable: true }]);
  expect((await screen.findByRole("alert")).textContent).toContain("Refused");
  expect((await box("RATES")).checked).toBe(true);
  expect((await box("The code may read RATES")).checked).toBe(true);
});
