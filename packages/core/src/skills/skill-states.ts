import type { SkillStatus } from "@parley/schema";
import { type Moves, moveState } from "../workspaces/administered-workspace.ts";

/** Changes of the state of a skill. */
export type SkillMove = "approve" | "archive" | "restore" | "publish";

const moves: Moves<SkillStatus, SkillMove> = {
  approve: { suggested: "active" },
  archive: { suggested: "archived", active: "archived" },
  restore: { archived: "active" },
  publish: { active: "active" },
};

/** Whether there is a move from one state to another; staying is none. */
export function canMove(from: SkillStatus, to: SkillStatus): boolean {
  return Object.values(moves).some((move) => move[from] === to);
}

/** The state that a move leads to. Throws `invalid_request_error` for an impossible move. */
export function moveSkill(status: SkillStatus, move: SkillMove): SkillStatus {
  return moveState("skill", { moves, status, move });
}
