import type { Claimed, ClaimedRun } from "@parley/core";

/** Runs that one statement claims at most. */
const MAX_CLAIMED_TOGETHER = 100;
/** Runs that end together leave their places to one claim. */
const ENDED_DELAY_MS = 1;

export interface ClaimLoopParts {
  /** How many runs may still be claimed. */
  readonly free: () => number;
  readonly claim: (limit: number, after: number) => Promise<Claimed>;
  readonly start: (runs: readonly ClaimedRun[]) => Promise<void>;
  /** Does the work, and copes when that fails. */
  readonly attempt: (work: () => Promise<void>) => Promise<unknown>;
}

/** Claims runs of one kind: one claim at a time, and none while there is nothing to hope for. */
export interface ClaimLoop {
  /** Claims after `delayMs`: what else calls for a claim until then shares it. */
  wake(delayMs?: number): void;
  /** Tells that runs may have ended: what their places or limits held up may be claimed now. */
  ended(): void;
  /** Claims no more; resolves once no claim is under way. */
  close(): Promise<void>;
}

/** Makes the loop; it does nothing until it is woken. */
export function createClaimLoop({ free, claim, start, attempt }: ClaimLoopParts): ClaimLoop {
  let closed = false;
  let wanted = false;
  /** Whether the last claim left runs behind. */
  let more = false;
  /** Where among the workspaces the last claim stopped. */
  let after = 0;
  let claiming = false;
  /** Whether runs ended that the claim under way may still have counted. */
  let endedMeanwhile = false;
  let loop: Promise<void> = Promise.resolve();
  let soon: NodeJS.Timeout | undefined;

  async function run(): Promise<void> {
    while (wanted && !closed) {
      wanted = false;
      const limit = Math.min(free(), MAX_CLAIMED_TOGETHER);
      more = limit <= 0;
      if (more) break;
      await attempt(async () => {
        endedMeanwhile = false;
        const claimed = await claim(limit, after);
        ({ more, after } = claimed);
        if (claimed.runs.length === limit || after > 0 || (more && endedMeanwhile)) wanted = true;
        await start(claimed.runs);
      });
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
    ended: () => {
      endedMeanwhile = true;
      if (more) wake(ENDED_DELAY_MS);
    },
    close: async () => {
      closed = true;
      clearTimeout(soon);
      await loop;
    },
  };
}
