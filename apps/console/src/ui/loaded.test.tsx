import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Loaded } from "./loaded.tsx";

test.for([
  [2, 2],
  [undefined, 6],
] as const)("of %s placeholder lines, shows %s until there is something", ([lines, shown]) => {
  const query = { data: undefined, error: null, refetch: async () => {} };
  render(<Loaded query={query} label="the members" lines={lines} />);
  const { children } = screen.getByRole("status", { name: "Loading the members" });
  expect(children).toHaveLength(shown);
});
