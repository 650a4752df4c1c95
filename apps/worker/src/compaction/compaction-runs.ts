import { claimCompactions, type Compaction, dropOrphan, heldOfWorkspaces } from "@parley/core";
import type { RunKind } from "../runs/run-kind.ts";
import { type CompactionServices, executeCompaction } from "./run-compaction.ts";

/** Compactions of a workspace that a worker holds at once. */
const PER_WORKSPACE = 2;

/** Runs that summarise the oldest messages of conversations. */
export function createCompactionRuns(services: CompactionServices): RunKind {
  const { core, persistence } = services;
  return {
    perWorkspace: PER_WORKSPACE,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: async ({ held, ...request }) => {
      const counts = heldOfWorkspaces(held);
      return claimCompactions(core, { ...request, held: counts, perWorkspace: PER_WORKSPACE });
    },
    execute: async (run, signal) => {
      // A claim gives it unless its conversation was deleted.
      const compaction = run.subject as Compaction | null;
      if (compaction !== null) return executeCompaction(services, { run, compaction }, signal);
      await persistence.retry(run, signal, () => dropOrphan(core, run));
      return "deleted";
    },
  };
}
