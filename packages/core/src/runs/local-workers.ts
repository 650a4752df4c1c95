/**
 * Runs that a worker of the same process holds from the moment when they are written, which saves their
 * claim. A crash between the commit and their start is a takeover like any other.
 */
import { ParleyError } from "@parley/schema";
import type { LogRuntime } from "../log/log-runtime.ts";
import type { ClaimedRun } from "./claim-parts.ts";
import type { RunKind } from "./run-kinds.ts";

/** The worker that holds new runs, and for how long unless it renews their lease. */
export interface RunHolder {
  readonly workerId: string;
  readonly leaseMs: number;
  /** How many runs of the kind a workspace may have at once. */
  readonly perWorkspace: number;
}

/** Runs of a workspace that are about to be written. */
export interface NewRuns {
  readonly kind: RunKind;
  readonly workspaceId: number;
  readonly logIds: readonly string[];
}

/** A worker of this process. */
export interface LocalWorker {
  /**
   * Takes a place for each of the runs, and gives their holder. Undefined if it would not claim all
   * of them at once: too few places are free, or earlier runs wait for them.
   */
  takePlaces(runs: NewRuns): RunHolder | undefined;
  /** Starts runs that it has places for, and frees the places of those that are not among them. */
  start(runs: NewRuns, written: readonly ClaimedRun[]): void;
  /** Frees the places of runs that are not written, or whose write may have been committed. */
  giveUp(runs: NewRuns, outcome: "not written" | "unknown"): void;
}

/** The workers of this process. */
export interface LocalWorkers {
  /** Offers new runs to the worker from now on, until the returned function is called. */
  register(worker: LocalWorker): () => void;
  /** The worker that has taken places for the runs, as their holder; undefined if none has. */
  takePlaces(runs: NewRuns): { worker: LocalWorker; holder: RunHolder } | undefined;
}

/** Creates the list of a process, which is empty without a worker. */
export function createLocalWorkers(): LocalWorkers {
  const workers = new Set<LocalWorker>();
  return {
    register: (worker) => {
      workers.add(worker);
      return () => void workers.delete(worker);
    },
    takePlaces: (runs) => {
      if (runs.logIds.length === 0) return undefined;
      for (const worker of workers) {
        const holder = worker.takePlaces(runs);
        if (holder !== undefined) return { worker, holder };
      }
      return undefined;
    },
  };
}

/**
 * Writes new runs and gets them started: by a worker of this process if one has places for all of
 * them, else by whichever claims them. `write` commits them, for the holder if there is one, and gives
 * those that it holds, the others being left to any worker; undefined if the acknowledgement was lost.
 */
export async function writeRuns(
  core: Pick<LogRuntime, "bus"> & { readonly localWorkers: LocalWorkers },
  runs: NewRuns,
  write: (holder: RunHolder | undefined) => Promise<readonly ClaimedRun[] | undefined>,
): Promise<void> {
  const taken = core.localWorkers.takePlaces(runs);
  const wake = () => {
    if (runs.logIds.length === 0) return;
    core.bus.publish([{ topic: "runs", cause: "added", kind: runs.kind }]);
  };
  if (taken === undefined) {
    await write(undefined);
    wake();
    return;
  }
  const { worker, holder } = taken;
  let written: readonly ClaimedRun[] | undefined;
  try {
    written = await write(holder);
  } catch (error) {
    worker.giveUp(runs, error instanceof ParleyError ? "not written" : "unknown");
    throw error;
  }
  if (written === undefined) {
    worker.giveUp(runs, "unknown");
    return;
  }
  worker.start(runs, written);
  if (written.length < runs.logIds.length) wake();
}
