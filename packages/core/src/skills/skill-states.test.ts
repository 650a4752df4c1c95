import { SkillStatus } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { moveSkill, type SkillMove } from "./skill-administration.ts";

const legal: [SkillMove, SkillStatus, SkillStatus][] = [
  ["approve", "suggested", "active"],
  ["archive", "suggested", "archived"],
  ["archive", "active", "archived"],
  ["restore", "archived", "active"],
  ["publish", "active", "active"],
];
const allMoves: SkillMove[] = ["approve", "archive", "restore", "publish"];

describe("moveSkill", () => {
  it.each(legal)("lets %s lead from %s to %s", (move, from, to) => {
    expect(moveSkill(from, move)).toBe(to);
  });

  const illegal = allMoves.flatMap((move) =>
    SkillStatus.options
      .filter((status) => !legal.some(([known, from]) => known === move && from === status))
      .map((status): [SkillMove, SkillStatus] => [move, status]),
  );

  it.each(illegal)("refuses to %s a skill that is %s, and names both", (move, status) => {
    expect(() => moveSkill(status, move)).toThrow(`the skill is ${status}, and ${move} needs one`);
  });

  it("knows every pair of a move and a state", () => {
    expect(legal.length + illegal.length).toBe(allMoves.length * SkillStatus.options.length);
  });
});
