import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "../../testing/show.tsx";
import { RotateDialog, type Rotated } from "./rotate-dialog.tsx";

const submit = () => screen.getByRole<HTMLButtonElement>("button", { name: "Rotate" });

test("cannot be pressed again while the key is rotated, and passes the new secret on", async () => {
  const rotating = Promise.withResolvers<Rotated>();
  const rotate = vi.fn<(overlapSeconds: number) => Promise<Rotated>>(async () => rotating.promise);
  const onRotate = vi.fn<(rotated: Rotated) => void>();
  const dialog = <RotateDialog name="backend" {...{ rotate, onRotate }} onClose={() => {}} />;
  const { user } = await show(dialog);
  await user.selectOptions(screen.getByRole("combobox"), "7 days more");
  await user.click(submit());
  await waitFor(() => expect(submit().disabled).toBe(true));
  expect(submit().getAttribute("aria-busy")).toBe("true");
  await user.click(submit());
  expect(rotate.mock.calls.map(([seconds]) => seconds)).toEqual([604_800]);
  const rotated = { secret: "sk-2", previousSecretExpiresAt: 0 };
  rotating.resolve(rotated);
  await waitFor(() => expect(onRotate.mock.calls[0]?.[0]).toEqual(rotated));
});
