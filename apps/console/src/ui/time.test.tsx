import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { formatDistance, Time } from "./time.tsx";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test.each([
  [0, "just now"],
  [-59_999, "just now"],
  [-MINUTE, "1 min. ago"],
  [-59.9 * MINUTE, "59 min. ago"],
  [2.5 * 60 * MINUTE, "in 2 hr."],
  [-DAY, "yesterday"],
  [-6.9 * DAY, "6 days ago"],
  [-7 * DAY, undefined],
  [7 * DAY, undefined],
])("a time %d ms away is said as %s", (ms, said) => {
  expect(formatDistance(ms)).toBe(said);
});

test("a near time has its day in its title, and a far one shows it", () => {
  render(
    <>
      <Time at={Date.now() - 5 * MINUTE} />
      <Time at={Date.UTC(2020, 1, 3, 12)} />
      <Time at={Date.now()} isAbsolute />
    </>,
  );
  const near = screen.getByText("5 min. ago");
  expect(near.getAttribute("title")).toContain(String(new Date().getFullYear()));
  expect(screen.getByText(/Feb 3, 2020/)).toBeDefined();
  expect(screen.queryByText("just now")).toBeNull();
});
