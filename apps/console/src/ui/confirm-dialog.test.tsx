import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "../../testing/show.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { CheckField } from "./field.tsx";

const button = () => screen.getByRole<HTMLButtonElement>("button", { name: "Delete space" });
const field = () => screen.getByRole("textbox", { name: "Type “Payroll” to confirm" });

/** Shows the dialog, with a further field. */
async function open(onConfirm: (form: FormData) => Promise<unknown>) {
  const onClose = vi.fn<() => void>();
  const dialog = (
    <ConfirmDialog
      title="Delete space"
      description="It is lost"
      word="Payroll"
      {...{ onConfirm, onClose }}
    >
      <CheckField label="Delete its contents too" name="force" value="yes" />
    </ConfirmDialog>
  );
  return { ...(await show(dialog)), onClose };
}

test("does nothing until the whole word is typed, not even with Enter", async () => {
  const onConfirm = vi.fn<() => Promise<unknown>>();
  const { user } = await open(onConfirm);
  for (const word of ["Pay", "payroll", "Payrolls"]) {
    await user.clear(field());
    await user.type(field(), `${word}{Enter}`);
    expect(button().disabled, word).toBe(true);
  }
  expect(onConfirm).not.toHaveBeenCalled();
});

test("is done once with the further fields, and closed", async () => {
  const confirming = Promise.withResolvers<unknown>();
  const onConfirm = vi.fn<(form: FormData) => Promise<unknown>>(() => confirming.promise);
  const { user, onClose } = await open(onConfirm);
  await user.click(screen.getByRole("checkbox"));
  await user.type(field(), " Payroll {Enter}");
  await waitFor(() => expect(button().getAttribute("aria-busy")).toBe("true"));
  await user.click(button());
  expect(onConfirm).toHaveBeenCalledOnce();
  expect(onConfirm.mock.calls[0]?.[0].get("force")).toBe("yes");
  expect(onClose).not.toHaveBeenCalled();
  confirming.resolve(undefined);
  await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
});

test("stays open with the typed word, and says why it was refused", async () => {
  const onConfirm = async () => {
    throw new Error("It holds data sources");
  };
  const { user, onClose } = await open(onConfirm);
  await user.type(field(), "Payroll{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("It holds data sources");
  expect((field() as HTMLInputElement).value).toBe("Payroll");
  expect(onClose).not.toHaveBeenCalled();
});

test("is closed with Escape and its button, and nothing is done", async () => {
  const onConfirm = vi.fn<() => Promise<unknown>>();
  const { user, onClose } = await open(onConfirm);
  await user.click(screen.getByRole("button", { name: "Close" }));
  await user.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledTimes(2);
  expect(onConfirm).not.toHaveBeenCalled();
});
