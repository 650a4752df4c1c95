import type { ClaimedRun, LocalWorker, NewRuns, RunHolder } from "@parley/core";

type Kind = NewRuns["kind"];

/** A run that a worker holds. */
export interface HeldRun {
  readonly run: ClaimedRun;
  /** False if it has run for so long that it waits for something else, which has bounds of its own. */
  readonly hasPlace: boolean;
}

/** How many times as many runs a worker holds as it has places. */
const MAX_HELD = 5;

export interface PlacesParts extends Omit<RunHolder, "perWorkspace"> {
  /** The runs of a kind that the worker holds. */
  readonly held: (kind: Kind) => Iterable<HeldRun>;
  /** How many runs of a kind the worker may hold, and some times as many with those that have no place. */
  readonly capacity: number;
  /** How many of a workspace. */
  readonly perWorkspace: (kind: Kind) => number;
  /** How many places earlier runs of the kind may take that wait, before a new one of the workspace. */
  readonly wanted: (kind: Kind, workspaceId: number) => number;
  readonly start: (runs: readonly ClaimedRun[]) => void;
  /** Hands back those runs that were written after all. */
  readonly handBack: (logIds: readonly string[]) => void;
}

/** The places of a worker for runs: those that it holds, and those that are being written for it. */
export interface Places extends LocalWorker {
  /** How many more runs of a kind the worker may hold. */
  free(kind: Kind): number;
  /** The logs of the runs that are being written for it. */
  expected(): readonly string[];
  /** Takes no more places; resolves when no run is being written for it. */
  close(): Promise<void>;
}

/** Creates the places of a worker. */
export function createPlaces(parts: PlacesParts): Places {
  const { workerId, leaseMs, held, capacity, perWorkspace, wanted } = parts;
  const writing = new Set<NewRuns>();
  const emptied = Promise.withResolvers<void>();
  let closed = false;

  /** Runs of a kind: those with a place, all of them, and those of a workspace. */
  const count = (kind: Kind, workspaceId?: number) => {
    const taken = { places: 0, all: 0, ofWorkspace: 0 };
    const add = (one: { readonly workspaceId: number }, runs: number) => {
      taken.all += runs;
      if (one.workspaceId === workspaceId) taken.ofWorkspace += runs;
    };
    for (const { run, hasPlace } of held(kind)) {
      add(run, 1);
      if (hasPlace) taken.places++;
    }
    for (const one of writing) {
      if (one.kind !== kind) continue;
      add(one, one.logIds.length);
      taken.places += one.logIds.length;
    }
    return { ...taken, free: Math.min(capacity - taken.places, MAX_HELD * capacity - taken.all) };
  };
  const leave = (runs: NewRuns): void => {
    writing.delete(runs);
    if (closed && writing.size === 0) emptied.resolve();
  };

  return {
    free: (kind) => count(kind).free,
    takePlaces: (runs) => {
      const { kind, workspaceId, logIds } = runs;
      if (closed) return undefined;
      const most = perWorkspace(kind);
      const taken = count(kind, workspaceId);
      const added = logIds.length + wanted(kind, workspaceId);
      if (added > taken.free || taken.ofWorkspace + added > most) return undefined;
      writing.add(runs);
      return { workerId, leaseMs, perWorkspace: most };
    },
    start: (runs, written) => {
      leave(runs);
      parts.start(written);
    },
    giveUp: (runs, outcome) => {
      leave(runs);
      if (outcome === "unknown") parts.handBack(runs.logIds);
    },
    expected: () => [...writing].flatMap(({ logIds }) => logIds),
    close: async () => {
      closed = true;
      if (writing.size > 0) await emptied.promise;
    },
  };
}
