import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClaimedRun,
  type Core,
  handBackRuns,
  LostLease,
  onSlowDatabase,
  removeWorker,
} from "@parley/core";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import type { WorkerSettings } from "./config.ts";
import type { ProgramRunner } from "./program-runner.ts";
import { createRunKinds } from "./create-run-kinds.ts";
import { findModelServices } from "./models/model-providers.ts";
import { startRetention } from "./retention.ts";
import { startDividing, startIndexing } from "./retrieval/start-divisions.ts";
import { startRefreshing } from "./web-sources/start-refreshes.ts";
import { startExporting } from "./traces/start-exports.ts";
import { serverTarget } from "./traces/trace-settings.ts";
import { type ClaimLoop, createClaimLoop } from "./runs/claim-loop.ts";
import { createLeases, describeRun, type RunningRun } from "./runs/leases.ts";
import { type Acquisition, createWorkerMetrics } from "./runs/metrics.ts";
import { createBackoff, createPersistence } from "./runs/outage.ts";
import { createPlaces } from "./runs/places.ts";
import { createReadiness } from "./runs/readiness.ts";
import { executeRun } from "./runs/run-kind.ts";
import { startWaking } from "./runs/wake-loops.ts";

export interface WorkerOptions {
  readonly core: Core;
  readonly settings: WorkerSettings;
  readonly logger: Logger;
  /** Registry that the metrics of the worker are added to. */
  readonly registry?: Registry | undefined;
  /** Version of the server, as traces say it. */
  readonly version?: string | undefined;
  /** No pause of what it does from time to time is longer, before its jitter: that of a test. */
  readonly mostPauseMs?: number | undefined;
}

export interface Worker extends Pick<ProgramRunner, "probeSandbox" | "sandboxBoundary"> {
  /** Starts to claim runs. */
  start(): void;
  /** Resolves after the first claim, successful or not. */
  readonly claimed: Promise<void>;
  /** Why it is not ready; undefined while it claims runs. */
  whyNotReady(): string | undefined;
  /** Stops claiming, gives running runs `gracePeriodMs` to end, and hands back the rest. */
  close(gracePeriodMs: number): Promise<void>;
}

/** Creates a worker: it claims runs when it is woken, and takes over runs of dead workers. */
export function createWorker({
  core,
  settings,
  logger,
  registry = new Registry(),
  version = "",
  mostPauseMs,
}: WorkerOptions): Worker {
  const workerId = randomUUID();
  const leaseMs = settings.PARLEY_LEASE_MS;
  const running = new Map<string, RunningRun>();
  const metrics = createWorkerMetrics(registry, () =>
    kindNames.map((kind) => [kind, [...ofKind(kind)].length]),
  );
  const persistence = createPersistence(core);
  const made = createRunKinds({ core, settings, logger, registry, metrics, persistence, version });
  const { kinds, executor, probes } = made;
  const readiness = createReadiness();
  let closed = false;
  /** Whether it has handed back its runs. */
  let gone = false;
  let unregister = (): void => {};
  let stopWaking = (): Promise<void> => Promise.resolve();
  let stopRetention = (): Promise<void> => Promise.resolve();
  let stopExporting = (): Promise<void> => Promise.resolve();
  let stopDividing = (): Promise<void> => Promise.resolve();
  let stopIndexing = (): Promise<void> => Promise.resolve();
  let stopRefreshing = (): Promise<void> => Promise.resolve();

  // The registry has these members only.
  const kindNames = Object.keys(kinds) as ClaimedRun["kind"][];
  const heldOf = (kind: ClaimedRun["kind"]) =>
    running.values().filter(({ run }) => run.kind === kind);
  const ofKind = (kind: ClaimedRun["kind"]) => heldOf(kind).map(({ run }) => run);
  // Each kind has its own capacity: a flood of one does not delay the other.
  const places = createPlaces({
    workerId,
    leaseMs,
    held: heldOf,
    capacity: settings.PARLEY_WORKER_CONCURRENCY,
    perWorkspace: (kind) => kinds[kind].perWorkspace,
    wanted: (kind, workspaceId) => loops.get(kind)?.wantedPlaces(workspaceId) ?? Infinity,
    start: (runs) => {
      if (gone) handBackWritten(runs.map(({ logId }) => logId));
      else startRuns(runs, "claimed");
    },
    handBack: handBackWritten,
  });
  const leases = createLeases({
    core,
    logger,
    workerId,
    leaseMs,
    modelServices: findModelServices(settings),
    running,
    expected: places.expected,
    free: () => places.free("agent_turn"),
    start: (runs) => startRuns(runs, "taken_over"),
    waitingSince: (run) => {
      const since = [persistence, kinds[run.kind].writer].map((one) => one.waitingSince(run));
      const known = since.filter((one) => one !== undefined);
      return known.length === 0 ? undefined : Math.min(...known);
    },
    attempt,
    afterTakeover: () => {
      readiness.reached();
      // Runs that were suspended, or ended elsewhere, have freed capacity.
      for (const loop of loops.values()) loop.ended();
    },
  });
  const loops = new Map(kindNames.map((kind) => [kind, createLoop(kind)]));

  function createLoop(kind: ClaimedRun["kind"]): ClaimLoop {
    return createClaimLoop({
      free: () => places.free(kind),
      claim: async (limit, after) => {
        return kinds[kind].claim({ workerId, leaseMs, limit, after, held: ofKind(kind) });
      },
      start: (runs) => startRuns(runs, "claimed"),
      attempt: attemptClaim,
      backoff: createBackoff(core),
    });
  }

  /** Hands back runs that the worker may hold without having them; the write may still take effect. */
  function handBackWritten(logIds: readonly string[]): void {
    leases.claimFailed();
    void attempt(() => handBackRuns(core, { workerId, logIds, begun: false }));
  }

  function startRuns(runs: readonly ClaimedRun[], acquisition: Acquisition): void {
    for (const run of runs) {
      metrics.started(run, acquisition);
      logger.debug({ ...describeRun(run), acquisition }, "A run starts");
      startRun(run);
    }
  }

  function startRun(run: ClaimedRun): void {
    const abort = new AbortController();
    // An earlier attempt may still run here, if this worker let its own lease expire.
    const previous = running.get(run.logId);
    previous?.abort.abort();
    const startedAt = performance.now();
    const { keepsPlaceMs } = kinds[run.kind];
    const timer = keepsPlaceMs === undefined ? undefined : setTimeout(leavePlace, keepsPlaceMs);
    const done = (previous?.done ?? Promise.resolve())
      .then(() => executeRun(kinds, run, abort.signal))
      .then((outcome) => recordEnd(run, outcome, startedAt))
      .catch((error: unknown) => recordFailure(run, error, abort.signal))
      .finally(() => {
        clearTimeout(timer);
        if (running.get(run.logId)?.run === run) running.delete(run.logId);
        loops.get(run.kind)?.ended();
      });
    const held = { run, abort, done, hasPlace: true };
    function leavePlace(): void {
      held.hasPlace = false;
      loops.get(run.kind)?.ended();
    }
    running.set(run.logId, held);
  }

  function recordEnd(run: ClaimedRun, outcome: string, startedAt: number): void {
    const durationMs = Math.round(performance.now() - startedAt);
    metrics.left(run, { outcome });
    logger.info({ ...describeRun(run), outcome, durationMs }, "A run ended");
  }

  function recordFailure(run: ClaimedRun, error: unknown, { aborted }: AbortSignal): void {
    const isLost = error instanceof LostLease || aborted;
    const reason = isLost ? (closed ? "handed_back" : "lost") : "broken";
    metrics.left(run, reason);
    leases.abandon(run);
    if (isLost) logger.info({ ...describeRun(run), reason }, "A run was released");
    else logger.error({ err: error, ...describeRun(run) }, "A run failed");
  }

  async function attempt(work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!closed) logger.error({ err: error }, "The worker could not reach its runs");
      return false;
    }
  }

  async function attemptClaim(work: () => Promise<void>): Promise<boolean> {
    const isClaimed = await attempt(work);
    if (isClaimed) readiness.claimed();
    else {
      readiness.failed();
      leases.claimFailed();
    }
    return isClaimed;
  }

  return {
    ...probes,
    start: () => {
      leases.start();
      stopWaking = startWaking({ core, loops, running, attempt: attemptClaim });
      const isOfServer = serverTarget(settings) !== undefined;
      const repeated = { core, logger, mostPauseMs };
      stopExporting = startExporting(repeated, { isOfServer });
      stopDividing = startDividing(repeated);
      stopIndexing = startIndexing(repeated);
      stopRefreshing = startRefreshing(repeated);
      stopRetention = startRetention({ core: onSlowDatabase(core), settings, logger, metrics });
      unregister = core.localWorkers.register(places);
    },
    claimed: readiness.tried,
    whyNotReady: () => (closed ? "The worker is shutting down" : readiness.whyNot()),
    close: async (gracePeriodMs) => {
      closed = true;
      unregister();
      const claims = loops.values().map((loop) => loop.close());
      const stops = [
        stopWaking,
        stopRetention,
        stopExporting,
        stopDividing,
        stopIndexing,
        stopRefreshing,
      ];
      const stopped = [...stops.map((stop) => stop()), leases.stopTakingOver()];
      await Promise.all([...stopped, ...claims]);
      const unfinished = async () => {
        await places.close();
        await Promise.all(running.values().map(({ done }) => done));
      };
      const gracePeriod = new AbortController();
      await Promise.race([
        unfinished(),
        sleep(gracePeriodMs, undefined, { signal: gracePeriod.signal }).catch(() => {}),
      ]);
      gracePeriod.abort();
      leases.close();
      gone = true;
      const left = [...running.values()];
      for (const { abort } of left) abort.abort();
      await Promise.all([made.titles.close(), ...left.map(({ done }) => done)]);
      await made.requests.close();
      const logIds = left.map(({ run }) => run.logId);
      await attempt(() => handBackRuns(core, { workerId, logIds, begun: true }));
      await attempt(() => removeWorker(core, workerId));
      await executor.close();
    },
  };
}
