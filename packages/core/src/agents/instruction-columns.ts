/** Instructions of agents as they are stored: with values, or as the plain text that they were in older versions. */
import { escapeInstructions, hasBraces } from "@parley/schema";
import type { AgentRow } from "../data-access/rows.ts";

type Stored = Pick<AgentRow, "instructions" | "rendersInstructions">;

/** Instructions as they can be saved again, whatever the version: text that only looks like a value is escaped. */
export function showInstructions({ instructions, rendersInstructions }: Stored): string | null {
  return instructions === null || rendersInstructions
    ? instructions
    : escapeInstructions(instructions);
}

/** The columns of given instructions; those of the version before if they are not given, or as it shows them. */
export function storeInstructions(
  given: string | null | undefined,
  before: Stored = { instructions: null, rendersInstructions: false },
): Stored {
  if (given === undefined || given === showInstructions(before)) {
    const { instructions, rendersInstructions } = before;
    return { instructions, rendersInstructions };
  }
  return { instructions: given, rendersInstructions: hasBraces(given) };
}
