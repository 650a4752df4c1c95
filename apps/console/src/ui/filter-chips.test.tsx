import { screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { show } from "../../testing/show.tsx";
import { type Filter, FilterChips } from "./filter-chips.tsx";

const choices = [{ id: "turn", name: "Turn" }];
const filters: Filter[] = [
  { name: "kind", label: "Kind", value: "archived", choices },
  { name: "q", label: "Title", value: "refund", type: "search" },
];

test("changes a filter, removes one, and clears all", async () => {
  const change = vi.fn<(changes: object) => void>();
  const { user } = await show(<FilterChips filters={filters} onChange={change} />);
  // What is not listed any more stays until another is chosen.
  const kind = screen.getByRole<HTMLSelectElement>("combobox", { name: "Kind" });
  expect(kind.value).toBe("archived");
  await user.selectOptions(kind, "turn");
  await user.click(screen.getByRole("button", { name: "Remove the filter Title" }));
  await user.click(screen.getByRole("button", { name: "Clear filters" }));
  expect(change.mock.calls).toEqual([
    [{ kind: "turn" }],
    [{ q: undefined }],
    [{ kind: undefined, q: undefined }],
  ]);
});

test("types a filter in a dialog, which gives the focus back", async () => {
  const change = vi.fn<(changes: object) => void>();
  const { user } = await show(<FilterChips filters={filters} onChange={change} />);
  const chip = screen.getByRole("button", { name: /^Title/ });
  await user.click(chip);
  const field = screen.getByRole("searchbox", { name: "Title" });
  expect(document.activeElement).toBe(field);
  await user.clear(field);
  await user.type(field, " late {Enter}");
  expect(change.mock.calls).toEqual([[{ q: "late" }]]);
  expect(screen.queryByRole("dialog")).toBeNull();
  await waitFor(() => expect(document.activeElement).toBe(chip));
});
