import { type ClaimedRun, claimTurns, dropOrphan, finishTurns, loadTurn } from "@parley/core";
import { createRunServices, type RunKind } from "../runs/run-kind.ts";
import { executeTurn } from "./run-turn.ts";
import type { TurnServices } from "./turn-services.ts";
import type { TitleMaker } from "./title-maker.ts";

export interface TurnRunsOptions extends Omit<TurnServices, "writer" | "finish"> {
  readonly titles: TitleMaker;
  /** Turns of a workspace that the worker holds at once. */
  readonly perWorkspace: number;
}

/** Runs of agent turns. */
export function createTurnRuns({ titles, perWorkspace, ...options }: TurnRunsOptions): RunKind {
  const { core, persistence } = options;
  const services: TurnServices = { ...options, ...createRunServices(options, finishTurns) };
  return {
    perWorkspace,
    writer: services.writer,
    claim: async ({ held, ...request }) => {
      return claimTurns(core, { ...request, held: countByWorkspace(held), perWorkspace });
    },
    execute: async (run, signal) => {
      const turn = await persistence.retry(run, signal, () => loadTurn(core, run, signal));
      if (turn === undefined) {
        // Its conversation was deleted.
        await persistence.retry(run, signal, () => dropOrphan(core, run));
        return "deleted";
      }
      titles.consider(run, turn);
      return executeTurn(services, { run, turn }, signal);
    },
  };
}

function countByWorkspace(runs: Iterable<ClaimedRun>): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { workspaceId } of runs) counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1);
  return counts;
}
