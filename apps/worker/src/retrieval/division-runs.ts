import {
  claimDivisions,
  type Core,
  divideSome,
  type DivisionSubject,
  dropOrphan,
  endDivision,
  heldOfWorkspaces,
} from "@parley/core";
import type { Persistence } from "../runs/outage.ts";
import type { RunKind } from "../runs/run-kind.ts";
import type { DivisionMetrics } from "./division-metrics.ts";

/** Divisions of a workspace that a worker runs at once. */
const PER_WORKSPACE = 2;

/** Runs that divide the documents of a data source. */
export function createDivisionRuns({
  core,
  persistence,
  metrics,
}: {
  readonly core: Core;
  readonly persistence: Persistence;
  readonly metrics: DivisionMetrics;
}): RunKind {
  return {
    perWorkspace: PER_WORKSPACE,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: async ({ held, ...request }) => {
      const counts = heldOfWorkspaces(held);
      return claimDivisions(core, { ...request, held: counts, perWorkspace: PER_WORKSPACE });
    },
    execute: async (run, signal) => {
      const persist = <T>(work: () => Promise<T>) => persistence.retry(run, signal, work);
      // A claim gives it unless its data source was deleted.
      const subject = run.subject as DivisionSubject | null;
      if (subject === null) {
        await persist(() => dropOrphan(core, run));
        return "deleted";
      }
      const dividing = { run, viewId: subject.viewId, onEnd: metrics.ended };
      for (;;) {
        signal.throwIfAborted();
        // oxlint-disable-next-line no-await-in-loop -- batch after batch
        const batch = await persist(() => divideSome(core, dividing, signal));
        if (batch.documents === 0) break;
      }
      await persist(() => endDivision(core, run));
      return "succeeded";
    },
  };
}
