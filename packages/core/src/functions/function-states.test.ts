import { FunctionStatus } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { type FunctionMove, moveFunction } from "./function-administration.ts";

const legal: [FunctionMove, FunctionStatus, FunctionStatus][] = [
  ["archive", "active", "archived"],
  ["restore", "archived", "active"],
];

describe("moveFunction", () => {
  it.each(legal)("lets %s lead from %s to %s", (move, from, to) => {
    expect(moveFunction(from, move)).toBe(to);
  });

  const illegal = legal.flatMap(([move, from]) =>
    FunctionStatus.options
      .filter((status) => status !== from)
      .map((status): [FunctionMove, FunctionStatus] => [move, status]),
  );

  it.each(illegal)("refuses to %s a function that is %s, and names both", (move, status) => {
    expect(() => moveFunction(status, move)).toThrow(
      `the function is ${status}, and ${move} needs one`,
    );
  });
});
