import {
  type ClaimedRun,
  type Core,
  handBackUnknownRuns,
  lookForDueRuns,
  renewLeases,
  takeOverRuns,
  wakeQueuedRuns,
  wakeSuspendedRuns,
} from "@parley/core";
import type { ModelService } from "@parley/schema";
import type { Logger } from "pino";
import type { HeldRun } from "./places.ts";

const TAKEOVER_INTERVAL_MS = 1000;
/** A look that is late, or fails once, is not a death. */
const LEAST_ALIVE_MS = 5 * TAKEOVER_INTERVAL_MS;
const MAX_WOKEN_TOGETHER = 1000;
/** Ordering keys that a takeover checks for queued runs that nothing woke. */
const MAX_KEYS = 1000;
/** A renewal on a connection that does not answer must not block the next one. */
const MAX_RENEWALS = 3;
/** A statement takes almost this long to fail: work that waits less may only be slow. */
const LEAST_STUCK_MS = 10_000;
/** How long a claim whose outcome is unknown may still take effect. */
const UNKNOWN_CLAIM_MS = 10_000;

export interface RunningRun extends HeldRun {
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

export interface LeaseParts {
  readonly core: Core;
  readonly logger: Logger;
  readonly workerId: string;
  readonly leaseMs: number;
  /** The services for whose models the settings have what a call needs. */
  readonly modelServices: readonly ModelService[];
  readonly running: ReadonlyMap<string, RunningRun>;
  /** The logs of runs that are being written for the worker. */
  readonly expected: () => readonly string[];
  /** Free capacity for turns to take over. */
  readonly free: () => number;
  readonly start: (runs: readonly ClaimedRun[]) => void;
  /** Since when a run has waited for the database, by the clock of `performance`. */
  readonly waitingSince: (run: ClaimedRun) => number | undefined;
  /** Does the work and handles its failure; gives whether it succeeded. */
  readonly attempt: (work: () => Promise<void>) => Promise<boolean>;
  /** Called after each takeover. */
  readonly afterTakeover: () => void;
}

/** Renews the leases of a worker's runs, and takes over runs whose leases have expired. */
export interface Leases {
  start(): void;
  /** Records that a claim failed, which may still take effect. */
  claimFailed(): void;
  /** Records that a run was released while its lease is still the worker's: the lease will expire. */
  abandon(run: ClaimedRun): void;
  /** Stops taking over; resolves when the current takeover has ended. */
  stopTakingOver(): Promise<void>;
  /** Stops renewing. */
  close(): void;
}

export function createLeases(parts: LeaseParts): Leases {
  const { core, logger, workerId, leaseMs, modelServices, running, attempt } = parts;
  const aliveMs = Math.max(2 * leaseMs, LEAST_ALIVE_MS);
  const timers: NodeJS.Timeout[] = [];
  const abandoned = new Set<string>();
  let stopped = false;
  let takeover: Promise<void> | undefined;
  let lastKey = "";
  let renewals = 0;
  let renewedAt = performance.now();
  /** Since when every renewal has succeeded. */
  let reachableSince: number | undefined;
  let failedAt = -Infinity;
  let unknownUntil = -Infinity;

  async function renew(): Promise<void> {
    releaseStuck();
    const logIds = [...running.keys()];
    if (renewals >= MAX_RENEWALS) return;
    renewals++;
    const startedAt = performance.now();
    const isRenewed = await attempt(async () => {
      if (logIds.length === 0) return;
      const renewed = await renewLeases(core, { workerId, leaseMs, logIds });
      for (const logId of logIds) if (!renewed.has(logId)) running.get(logId)?.abort.abort();
    });
    renewals--;
    if (isRenewed) {
      renewedAt = Math.max(renewedAt, startedAt);
      reachableSince ??= startedAt;
    } else {
      failedAt = performance.now();
      reachableSince = undefined;
    }
  }

  /** A run that cannot reach its log while the worker reaches the database is left to other workers. */
  function releaseStuck(): void {
    if (reachableSince === undefined) return;
    for (const { run, abort } of running.values()) {
      const since = Math.max(parts.waitingSince(run) ?? Infinity, reachableSince);
      if (performance.now() - since < Math.max(leaseMs, LEAST_STUCK_MS)) continue;
      if (abort.signal.aborted) continue;
      logger.error(describeRun(run), "A run cannot reach its log");
      abort.abort();
    }
  }

  async function takeOver(): Promise<void> {
    // An outage lets the own leases expire too: renew them before taking over others.
    if (isRenewalDue()) await renew();
    if (isRenewalDue() || stopped) return;
    const isDone = await attempt(async () => {
      if (performance.now() < unknownUntil) {
        const known = [...running.keys(), ...parts.expected(), ...abandoned];
        await handBackUnknownRuns(core, { workerId, leaseMs, known });
      }
      const due = await lookForDueRuns(core, { workerId, aliveMs, modelServices });
      if (due.suspended) await wakeSuspendedRuns(core, MAX_WOKEN_TOGETHER);
      if (due.queued) {
        lastKey = await wakeQueuedRuns(core, { after: lastKey, limit: MAX_KEYS });
      }
      // Other workers may reach the database only now: give them time to renew theirs.
      if (due.expired && performance.now() - failedAt > leaseMs / 2) {
        parts.start(await takeOverRuns(core, { workerId, leaseMs, limit: parts.free() }));
      }
      parts.afterTakeover();
    });
    if (isDone) return;
    failedAt = performance.now();
    unknownUntil = failedAt + UNKNOWN_CLAIM_MS + leaseMs;
  }

  const isRenewalDue = (): boolean => performance.now() - renewedAt > leaseMs / 2;

  return {
    start: () => {
      renewedAt = performance.now();
      timers.push(
        setInterval(() => {
          if (stopped) return;
          takeover ??= takeOver().finally(() => (takeover = undefined));
        }, TAKEOVER_INTERVAL_MS),
      );
      timers.push(setInterval(() => void renew(), leaseMs / 3));
    },
    claimFailed: () => void (unknownUntil = performance.now() + UNKNOWN_CLAIM_MS + leaseMs),
    abandon: ({ logId }) => {
      abandoned.add(logId);
      // A renewal of it that is under way may arrive as late as a claim.
      setTimeout(() => abandoned.delete(logId), leaseMs + UNKNOWN_CLAIM_MS).unref();
    },
    stopTakingOver: async () => {
      stopped = true;
      await takeover;
    },
    close: () => {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

/** Members of every log line about a run: its workspace, and the request that created it. */
export function describeRun(run: ClaimedRun) {
  return {
    workspaceId: run.workspaceSid ?? undefined,
    logId: run.logId,
    kind: run.kind,
    attempt: run.attempt,
    requestId: run.requestId ?? undefined,
    traceId: run.traceparent?.split("-")[1],
    traceparent: run.traceparent ?? undefined,
  };
}
