import { screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "../../../testing/show.tsx";
import { FileNameDialog } from "./file-name-dialog.tsx";

/** Shows the dialog for a new file, or for one that is renamed. */
async function open(initial = "") {
  const onName = vi.fn<(path: string) => void>();
  const onClose = vi.fn<() => void>();
  const dialog = (
    <FileNameDialog initial={initial} taken={["rates.json"]} {...{ onName, onClose }} />
  );
  return { ...(await show(dialog)), onName };
}

const field = () => screen.getByRole<HTMLInputElement>("textbox", { name: "Path" });

test.for([
  ["../money.ts", "Enter a relative path"],
  ["/money.ts", "Enter a relative path"],
  ["lib/.money.ts", "Enter a relative path"],
  ["lib//money.ts", "Enter a relative path"],
  ["node_modules/money/index.js", "Enter a relative path"],
  ["{Backspace}", "Enter a relative path"],
  ["rates.json", "This file already exists"],
] as const)("refuses %s, and keeps it to be mended", async ([path, reason]) => {
  const { user, onName } = await open();
  await user.type(field(), `${path}{Enter}`);
  expect(screen.getByText(new RegExp(reason))).toBeDefined();
  expect(field().getAttribute("aria-invalid")).toBe("true");
  expect(field().value).toBe(path.replace("{Backspace}", ""));
  expect(onName).not.toHaveBeenCalled();
});

test("names a file in a folder", async () => {
  const { user, onName } = await open();
  await user.type(field(), "lib/money.ts");
  await user.click(screen.getByRole("button", { name: "Add" }));
  expect(onName.mock.calls).toEqual([["lib/money.ts"]]);
});

test("renames a file, starting with its name", async () => {
  const { user, onName } = await open("lib/money.ts");
  expect(screen.getByRole("dialog", { name: "Rename lib/money.ts" })).toBeDefined();
  expect(field().value).toBe("lib/money.ts");
  await user.clear(field());
  await user.type(field(), "lib/rates.ts");
  await user.click(screen.getByRole("button", { name: "Rename" }));
  expect(onName.mock.calls).toEqual([["lib/rates.ts"]]);
});
