import { ParleyError, type SkillStatus } from "@parley/schema";

/** What can be done to the state of a skill. */
export type SkillMove = "approve" | "archive" | "restore" | "publish";

// The moves that there are: from which state each is made, and the state that it leads to.
const moves: Readonly<Record<SkillMove, Partial<Record<SkillStatus, SkillStatus>>>> = {
  approve: { suggested: "active" },
  archive: { suggested: "archived", active: "archived" },
  restore: { archived: "active" },
  publish: { active: "active" },
};

/** Whether there is a move from one state to another; staying is none. */
export function canMove(from: SkillStatus, to: SkillStatus): boolean {
  return Object.values(moves).some((move) => move[from] === to);
}

/** The state that a move leads to. Throws `invalid_request_error` where there is no such move. */
export function moveSkill(status: SkillStatus, move: SkillMove): SkillStatus {
  const next = moves[move][status];
  if (next !== undefined) return next;
  const from = Object.keys(moves[move]).join(" or ");
  throw new ParleyError(
    "invalid_request_error",
    `Invalid request body: the skill is ${status}, and ${move} needs one that is ${from}`,
  );
}
