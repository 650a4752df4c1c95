import { type FunctionStatus, ParleyError } from "@parley/schema";

/** What can be done to the state of a function. */
export type FunctionMove = "archive" | "restore";

const moves: Readonly<Record<FunctionMove, { from: FunctionStatus; to: FunctionStatus }>> = {
  archive: { from: "active", to: "archived" },
  restore: { from: "archived", to: "active" },
};

/** The state that a move leads to. Throws `invalid_request_error` where there is no such move. */
export function moveFunction(status: FunctionStatus, move: FunctionMove): FunctionStatus {
  const { from, to } = moves[move];
  if (status === from) return to;
  throw new ParleyError(
    "invalid_request_error",
    `Invalid request body: the function is ${status}, and ${move} needs one that is ${from}`,
  );
}
