import { render, screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { ProblemList } from "./problem-list.tsx";
import type { Problem } from "./problem.ts";

const problemAt = (line: number): Problem => ({
  line,
  column: 3,
  message: `Fault ${line}`,
  severity: "error",
});

test("is not there without problems", () => {
  render(<ProblemList label="Problems" problems={[]} onChoose={() => {}} />);
  expect(screen.queryByRole("list")).toBeNull();
});

test("each problem leads to its place, with the keyboard too", async () => {
  const onChoose = vi.fn<(problem: Problem) => void>();
  const problems = [problemAt(1), problemAt(7)];
  render(<ProblemList label="Problems" {...{ problems, onChoose }} />);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Line 7, column 3 Fault 7" }));
  await user.tab({ shift: true });
  await user.keyboard("{Enter}");
  expect(onChoose.mock.calls).toEqual([[problems[1]], [problems[0]]]);
});

test("of many problems, the first twenty are shown and the others counted", () => {
  const problems = Array.from({ length: 23 }, (_, nth) => problemAt(nth + 1));
  render(<ProblemList label="Problems" problems={problems} onChoose={() => {}} />);
  const list = within(screen.getByRole("list", { name: "Problems" }));
  expect(list.getAllByRole("button")).toHaveLength(20);
  expect(list.getAllByRole("listitem").at(-1)?.textContent).toBe("and 3 more");
});
