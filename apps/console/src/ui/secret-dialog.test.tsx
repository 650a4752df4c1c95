import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "../../testing/show.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

/** Shows the secret of a key. */
async function open() {
  const onClose = vi.fn<() => void>();
  return {
    ...(await show(<SecretDialog title="The key" secret="sk-1" onClose={onClose} />)),
    onClose,
  };
}

test("a press beside it does not lose the secret", async () => {
  const { user, onClose } = await open();
  // Radix starts to listen in a later task, and answers in another: each key is one.
  await user.tab();
  await user.click(document.documentElement);
  await user.tab();
  expect(onClose).not.toHaveBeenCalled();
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Secret" }).value).toBe("sk-1");
});

test("is closed by its button", async () => {
  const { user, onClose } = await open();
  await user.click(screen.getByRole("button", { name: "Done" }));
  expect(onClose).toHaveBeenCalledOnce();
});

test("copies the secret, and says what to do if the browser refuses", async () => {
  const { user } = await open();
  const copying = vi.spyOn(navigator.clipboard, "writeText");
  copying.mockResolvedValueOnce().mockRejectedValueOnce(new Error("Denied"));
  await user.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByText("Copied")).toBeDefined();
  await user.click(screen.getByRole("button", { name: "Copy" }));
  expect(await screen.findByText(/blocked copying/)).toBeDefined();
  await waitFor(() => expect(copying.mock.calls).toEqual([["sk-1"], ["sk-1"]]));
});
