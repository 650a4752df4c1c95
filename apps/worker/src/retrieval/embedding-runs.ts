import {
  claimEmbeddings,
  type Core,
  dropOrphan,
  embedSome,
  type EmbeddingSubject,
  endEmbedding,
  heldOfWorkspaces,
} from "@parley/core";
import type { Persistence } from "../runs/outage.ts";
import type { RunKind } from "../runs/run-kind.ts";

/** Embeddings of a workspace that a worker runs at once: services limit the calls of a credential. */
const PER_WORKSPACE = 1;
/** A run that lasts longer ends, and another one continues, so that other workspaces have their turns. */
const RUN_MS = 60_000;
/** Parts of a call; fewer after one was too long for the model. */
const MOST_PARTS = 64;

/** Runs that make vectors of the documents of a data source. */
export function createEmbeddingRuns({
  core,
  persistence,
}: {
  readonly core: Core;
  readonly persistence: Persistence;
}): RunKind {
  return {
    perWorkspace: PER_WORKSPACE,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: async ({ held, ...request }) => {
      const counts = heldOfWorkspaces(held);
      return claimEmbeddings(core, { ...request, held: counts, perWorkspace: PER_WORKSPACE });
    },
    execute: async (run, signal) => {
      const persist = <T>(work: () => Promise<T>) => persistence.retry(run, signal, work);
      // A claim gives it unless its data source is deleted, or its workspace has no model any more.
      const subject = run.subject as EmbeddingSubject | null;
      if (subject === null) {
        await persist(() => dropOrphan(core, run));
        return "deleted";
      }
      const until = performance.now() + RUN_MS;
      let most = MOST_PARTS;
      for (let call = 0; performance.now() < until; call++) {
        signal.throwIfAborted();
        // oxlint-disable-next-line no-await-in-loop -- call after call
        const batch = await persist(() => embedSome(core, { run, subject, call, most }, signal));
        if (batch.isLast) break;
        const isLess = batch.wasTooLong === true;
        most = isLess ? Math.ceil(most / 4) : Math.min(2 * most, MOST_PARTS);
      }
      await persist(() => endEmbedding(core, run));
      return "succeeded";
    },
  };
}
