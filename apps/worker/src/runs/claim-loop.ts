import { setTimeout as sleep } from "node:timers/promises";
import type { Claimed, ClaimedRun } from "@parley/core";
import type { Backoff } from "./outage.ts";

/** Most runs of one claim; fewer if none are known to wait, so that new runs find places in the meantime. */
const MAX_CLAIMED_TOGETHER = { behind: 100, otherwise: 50 };
/** Runs that end together share the claim after them. */
const ENDED_DELAY_MS = 1;

export interface ClaimLoopParts {
  /** Free capacity. */
  readonly free: () => number;
  readonly claim: (limit: number, after: number) => Promise<Claimed>;
  readonly start: (runs: readonly ClaimedRun[]) => void;
  /** Does the work and handles its failure; gives whether it succeeded. */
  readonly attempt: (work: () => Promise<void>) => Promise<boolean>;
  /** How long to wait after claims that failed. */
  readonly backoff: Backoff;
}

/** Claims runs of one kind: one claim at a time, and none without a reason to expect runs. */
export interface ClaimLoop {
  /** Claims after `delayMs`; further calls until then share the claim. */
  wake(delayMs?: number): void;
  /**
   * How many places runs may take that wait already: those of the claim that is under way, or about to
   * be. Infinity if runs are left that wait for the same places as new ones of the workspace.
   */
  wantedPlaces(workspaceId: number): number;
  /** Records that runs may have ended: runs that waited for capacity may be claimed now. */
  ended(): void;
  /** Stops claiming; resolves when the current claim has ended. */
  close(): Promise<void>;
}

/** Creates the loop; it does nothing until it is woken. */
export function createClaimLoop(parts: ClaimLoopParts): ClaimLoop {
  const { free, claim, start, attempt, backoff } = parts;
  const closing = new AbortController();
  let closed = false;
  let wanted = false;
  /** Whether the last claim left runs unclaimed. */
  let more = false;
  /** Workspaces of which runs were left for their own limit; undefined if others may have been left too. */
  let full: ReadonlySet<number> | undefined;
  /** Workspace at which the last claim stopped. */
  let after = 0;
  let claiming = false;
  /** Most runs of the current claim. */
  let limit = 0;
  /** Whether runs ended that the current claim may still have counted. */
  let endedMeanwhile = false;
  let loop: Promise<void> = Promise.resolve();
  let soon: NodeJS.Timeout | undefined;

  /** Whether runs are left that could be claimed if there were places. */
  const isBehind = (): boolean => (more && full === undefined) || after > 0;

  async function run(): Promise<void> {
    while (wanted && !closed) {
      wanted = false;
      limit = Math.min(free(), MAX_CLAIMED_TOGETHER[isBehind() ? "behind" : "otherwise"]);
      if (limit <= 0) {
        more = true;
        full = undefined;
        break;
      }
      const isClaimed = await attempt(async () => {
        endedMeanwhile = false;
        const claimed = await claim(limit, after);
        ({ more, after } = claimed);
        const isCut = claimed.runs.length === limit;
        full = claimed.full && !isCut ? new Set(claimed.full) : undefined;
        if (isCut || after > 0 || (more && endedMeanwhile)) wanted = true;
        start(claimed.runs);
      });
      if (isClaimed) backoff.reset();
      else {
        backoff.failed();
        await sleep(backoff.waitMs(), undefined, closing).catch(() => {});
        wanted = true;
      }
    }
    claiming = false;
  }

  function wake(delayMs = 0): void {
    if (closed) return;
    if (delayMs > 0) {
      soon ??= setTimeout(() => {
        soon = undefined;
        wake();
      }, delayMs);
      return;
    }
    wanted = true;
    if (claiming) return;
    claiming = true;
    loop = run();
  }

  return {
    wake,
    wantedPlaces: (workspaceId) => {
      if (isBehind() || full?.has(workspaceId)) return Infinity;
      if (claiming) return limit;
      return soon === undefined ? 0 : MAX_CLAIMED_TOGETHER.otherwise;
    },
    ended: () => {
      endedMeanwhile = true;
      if (more) wake(ENDED_DELAY_MS);
    },
    close: async () => {
      closed = true;
      closing.abort();
      clearTimeout(soon);
      await loop;
    },
  };
}
