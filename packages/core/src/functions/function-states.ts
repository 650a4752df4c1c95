import type { FunctionStatus } from "@parley/schema";
import { type Moves, moveState } from "../workspaces/administered-workspace.ts";

/** Changes of the state of a function. */
export type FunctionMove = "archive" | "restore";

const moves: Moves<FunctionStatus, FunctionMove> = {
  archive: { active: "archived" },
  restore: { archived: "active" },
};

/** The state that a move leads to. Throws `invalid_request_error` for an impossible move. */
export function moveFunction(status: FunctionStatus, move: FunctionMove): FunctionStatus {
  return moveState("function", { moves, status, move });
}
