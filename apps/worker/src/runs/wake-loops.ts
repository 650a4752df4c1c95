import { type ClaimedRun, type Core, readWaitingKinds, startSafetyPoll } from "@parley/core";
import type { ClaimLoop } from "./claim-loop.ts";
import type { RunningRun } from "./leases.ts";

/**
 * A run that ends may free the next one of its ordering key; few keys have one, so runs that end
 * shortly after each other share a claim.
 */
const ORDERED_DELAY_MS = 10;
/** A worker with this many runs delays its claims a little, so that more runs share a claim and an end. */
const BUSY_RUNS = 4;
const BUSY_DELAY_MS = 5;

/** Kinds whose runs are announced when they are added, so that other hints need not look for them. */
const canWait: ReadonlySet<ClaimedRun["kind"]> = new Set([
  "compaction",
  "delivery",
  "division",
  "embedding",
  "firing",
  "trace_export",
  "trigger_event",
  "web_refresh",
]);

interface Waking {
  readonly core: Core;
  readonly loops: ReadonlyMap<ClaimedRun["kind"], ClaimLoop>;
  readonly running: ReadonlyMap<string, RunningRun>;
  /** Does the work and handles its failure; gives whether it succeeded. */
  readonly attempt: (work: () => Promise<void>) => Promise<boolean>;
}

/**
 * Wakes a worker's loops: those of kinds with waiting runs now and from time to time, and those that hints concern. What
 * hints say has ended elsewhere is aborted. Gives a function that stops it, which resolves once it has.
 */
export function startWaking({ core, loops, running, attempt }: Waking): () => Promise<void> {
  let looking: Promise<void> | undefined;

  // A claim of each kind would be a statement of each, on as many connections.
  async function look(): Promise<void> {
    let kinds: Iterable<ClaimedRun["kind"]> = loops.keys();
    await attempt(async () => void (kinds = await readWaitingKinds(core)));
    // After a failure, each loop tries until it succeeds.
    for (const kind of kinds) loops.get(kind)?.wake();
  }

  const lookOnce = (): void => void (looking ??= look().finally(() => (looking = undefined)));
  const unsubscribe = core.bus.subscribe("runs", (hint) => {
    const busyMs = running.size < BUSY_RUNS ? 0 : BUSY_DELAY_MS;
    const delayMs = hint.cause === "added" ? busyMs : ORDERED_DELAY_MS;
    const kind = hint.cause === "ended" ? undefined : hint.kind;
    for (const [loopKind, loop] of loops) {
      // What may be of any kind costs no claim of those that can wait for the poll.
      if (kind === loopKind || (kind === undefined && !canWait.has(loopKind))) loop.wake(delayMs);
    }
    if (hint.cause !== "ended") return;
    const ended = new Set(hint.logIds);
    for (const { run, abort } of running.values()) if (ended.has(run.logId)) abort.abort();
  });
  const stopPoll = startSafetyPoll(core, lookOnce);
  lookOnce();
  return async () => {
    unsubscribe();
    stopPoll();
    await looking;
  };
}
