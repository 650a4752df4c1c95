import {
  type Claimed,
  type ClaimedRun,
  type ClaimOptions,
  toClaimed,
} from "../runs/claim-parts.ts";
import type { Process } from "../context.ts";
import { type FairClaim, fairClaim, fairTakeOver, toClaimValues } from "../runs/claim-fairly.ts";
import { claimedTurnColumns, toTurnRun, type TurnColumns, type TurnInput } from "./load-turns.ts";

const turns = { kind: "agent_turn", subject: claimedTurnColumns } as const;
const claimTurnsStatement = fairClaim<TurnColumns>("claim_turns", turns);
const takeOverStatement = fairTakeOver<TurnColumns>("take_over_turns", turns);

/**
 * Claims waiting turns; each goes to one worker only. Workspaces of which the worker holds the fewest
 * (`held`, by the workspace's number) come first, and of none does it hold more than `perWorkspace`;
 * within one, the most urgent and then the oldest turns come first.
 */
export async function claimTurns(core: Process, options: FairClaim): Promise<Claimed<TurnInput>> {
  const values = toClaimValues(options);
  const claimed = toClaimed(await claimTurnsStatement.execute(core.database.db, values));
  return { ...claimed, runs: claimed.runs.map(toTurnRun) };
}

/** Takes over turns whose worker has not renewed its lease. */
export async function takeOverTurns(
  { database }: Pick<Process, "database">,
  options: ClaimOptions,
): Promise<ClaimedRun<TurnInput>[]> {
  if (options.limit <= 0) return [];
  return (await takeOverStatement.execute(database.db, options)).map(toTurnRun);
}
