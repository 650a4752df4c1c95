import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "../../testing/show.tsx";
import { RotateDialog, type Rotated } from "./rotate-dialog.tsx";

const submit = () => screen.getByRole<HTMLButtonElement>("button", { name: "Rotate" });
const overlap = () =>
  screen.getByRole<HTMLSelectElement>("combobox", { name: /^Keep the old secret valid/ });

/** Shows the dialog, and gives how it ends. */
async function open(rotate: (overlapSeconds: number) => Promise<Rotated>) {
  const onRotate = vi.fn<(rotated: Rotated) => void>();
  const onClose = vi.fn<() => void>();
  const shown = await show(<RotateDialog name="backend" {...{ rotate, onRotate, onClose }} />);
  return { ...shown, onRotate, onClose };
}

test.for([
  ["1 hour", 3600],
  ["7 days", 604_800],
  [/Revoke immediately/, 0],
] as const)("the secret before is valid for %s", async ([name, seconds]) => {
  const rotated = { secret: "sk-2", previousSecretExpiresAt: 0 };
  const rotate = vi.fn<(overlapSeconds: number) => Promise<Rotated>>(async () => rotated);
  const { user, onRotate } = await open(rotate);
  if (seconds !== 3600) await user.selectOptions(overlap(), screen.getByRole("option", { name }));
  await user.click(submit());
  await waitFor(() => expect(onRotate.mock.calls[0]?.[0]).toBe(rotated));
  expect(rotate.mock.calls[0]?.[0]).toBe(seconds);
});

test("cannot be submitted twice, and keeps the choice when it is refused", async () => {
  const rotating = Promise.withResolvers<Rotated>();
  const rotate = vi.fn<(overlapSeconds: number) => Promise<Rotated>>(() => rotating.promise);
  const { user, onRotate } = await open(rotate);
  await user.selectOptions(overlap(), "1 day");
  await user.click(submit());
  await waitFor(() => expect(submit().getAttribute("aria-busy")).toBe("true"));
  await user.click(submit());
  expect(rotate).toHaveBeenCalledOnce();
  rotating.reject(new Error("The key is revoked"));
  expect((await screen.findByRole("alert")).textContent).toBe("The key is revoked");
  expect(overlap().value).toBe("86400");
  expect(submit().disabled).toBe(false);
  expect(onRotate).not.toHaveBeenCalled();
});

test("is closed with Escape, without a new secret", async () => {
  const rotate = vi.fn<() => Promise<Rotated>>();
  const { user, onClose } = await open(rotate);
  await user.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledOnce();
  expect(rotate).not.toHaveBeenCalled();
});
