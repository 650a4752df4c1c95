import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type ClaimedRun,
  claimInvocations,
  claimTurns,
  createBatcher,
  type Core,
  finishInvocations,
  finishTurns,
  handBackRuns,
  loadTurns,
  LostLease,
  renewLeases,
  startSafetyPoll,
  takeOverRuns,
  wakeParkedRuns,
  wakeQueuedRuns,
  type Turn,
} from "@parley/core";
import type { InvocationEvent, MessageEvent } from "@parley/schema";
import type { Logger } from "pino";
import { Registry } from "prom-client";
import { type ClaimLoop, createClaimLoop } from "./claim-loop.ts";
import type { WorkerSettings } from "./config.ts";
import { describeRun } from "./describe-run.ts";
import { createLogWriter } from "./log-writer.ts";
import { measureProviders } from "./measured-provider.ts";
import { createWorkerMetrics } from "./metrics.ts";
import { createModelProviders, readTitleModel } from "./model-providers.ts";
import { startRetention } from "./retention.ts";
import { executeInvocation } from "./run-invocation.ts";
import { executeTurn, type TurnServices } from "./run-turn.ts";
import type { SandboxExecutor } from "./sandbox-executor.ts";
import { createSimulatedExecutor } from "./simulated-executor.ts";
import { createTitleMaker, type TitleMaker } from "./title-maker.ts";

const TAKEOVER_INTERVAL_MS = 1000;
/** What ended may let the next run of its lane go; few lanes have one, so many ends share a look. */
const LANE_DELAY_MS = 10;
/** A worker that has this many runs waits a little, so that more of them share a claim and an end. */
const BUSY_RUNS = 4;
const BUSY_DELAY_MS = 5;
const MAX_FINISHED_TOGETHER = 100;
const MAX_WOKEN_TOGETHER = 1000;
/** Lanes of which a takeover looks whether something is queued in vain. */
const MAX_LANES = 1000;

export interface WorkerOptions {
  readonly core: Core;
  readonly settings: WorkerSettings;
  readonly logger: Logger;
  /** Where what is measured can be read. */
  readonly registry?: Registry | undefined;
}

export interface Worker {
  /** Starts to claim runs. */
  start(): void;
  /** Claims no more, gives running ones `patienceMs` to end, and hands the rest back. */
  close(patienceMs: number): Promise<void>;
}

interface RunningRun {
  readonly run: ClaimedRun;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** Builds a worker: it claims runs when it is woken, and takes over those of dead workers. */
export function createWorker({
  core,
  settings,
  logger,
  registry = new Registry(),
}: WorkerOptions): Worker {
  const workerId = randomUUID();
  const leaseMs = settings.PARLEY_LEASE_MS;
  const running = new Map<string, RunningRun>();
  const metrics = createWorkerMetrics(registry, () => running.values().map(({ run }) => run.kind));
  const executor = createSimulatedExecutor(settings.PARLEY_SIMULATION_TIME_SCALE);
  const providers = measureProviders(createModelProviders(settings), metrics.operations);
  const titles = createTitleMaker({ core, logger, providers, model: readTitleModel(settings) });
  const execute = createExecute({ core, logger, providers, executor, titles });
  let closed = false;
  /** Takeovers that the database has not answered yet. */
  const takeovers = new Set<Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  let lastLane = "";
  let unsubscribe = (): void => {};
  let stopPoll = (): void => {};
  let stopRetention = (): Promise<void> => Promise.resolve();

  const ofKind = (kind: ClaimedRun["kind"]) =>
    running.values().filter(({ run }) => run.kind === kind);
  // Each kind has places of its own: a flood of one does not hold up the other.
  const free = (kind: ClaimedRun["kind"]): number =>
    settings.PARLEY_WORKER_CONCURRENCY - ofKind(kind).reduce((count) => count + 1, 0);
  const loops: Readonly<Record<ClaimedRun["kind"], ClaimLoop>> = {
    agent_turn: createClaimLoop({
      free: () => free("agent_turn"),
      claim: async (limit, after) => {
        const held = new Map<number, number>();
        for (const { run } of ofKind("agent_turn")) {
          held.set(run.workspaceId, (held.get(run.workspaceId) ?? 0) + 1);
        }
        const perWorkspace = settings.PARLEY_WORKSPACE_TURNS;
        return claimTurns(core, { workerId, leaseMs, limit, after, held, perWorkspace });
      },
      start: (runs) => startRuns(runs, "claimed"),
      attempt,
    }),
    invocation: createClaimLoop({
      free: () => free("invocation"),
      claim: async (limit, after) => {
        const perWorkspace = settings.PARLEY_WORKSPACE_CONCURRENCY;
        return claimInvocations(core, { workerId, leaseMs, limit, after, perWorkspace });
      },
      start: (runs) => startRuns(runs, "claimed"),
      attempt,
    }),
  };
  const allLoops = Object.values(loops);

  async function startRuns(
    runs: readonly ClaimedRun[],
    way: "claimed" | "taken_over",
  ): Promise<void> {
    for (const run of runs) {
      metrics.started(run, way);
      logger.debug({ ...describeRun(run), way }, "A run starts");
    }
    const turns = runs.filter((run) => run.kind === "agent_turn");
    const loaded = turns.length === 0 ? undefined : await loadTurns(core, turns);
    for (const run of runs) startRun(run, loaded?.get(run.logId));
  }

  function startRun(run: ClaimedRun, turn: Turn | undefined): void {
    const abort = new AbortController();
    // It may be one whose lease this worker has itself let expire.
    const before = running.get(run.logId);
    before?.abort.abort();
    const startedAt = performance.now();
    const done = (before?.done ?? Promise.resolve())
      .then(() => execute(run, turn, abort.signal))
      .then((outcome) => noteEnd(run, outcome, startedAt))
      .catch((error: unknown) => noteFailure(run, error, abort.signal))
      .finally(() => {
        if (running.get(run.logId)?.run === run) running.delete(run.logId);
        loops[run.kind].ended();
      });
    running.set(run.logId, { run, abort, done });
  }

  function noteEnd(run: ClaimedRun, outcome: string, startedAt: number): void {
    const durationMs = Math.round(performance.now() - startedAt);
    metrics.left(run, { outcome });
    logger.info({ ...describeRun(run), outcome, durationMs }, "A run ended");
  }

  function noteFailure(run: ClaimedRun, error: unknown, { aborted }: AbortSignal): void {
    const isLost = error instanceof LostLease || aborted;
    const how = isLost ? (closed ? "handed_back" : "lost") : "broken";
    metrics.left(run, how);
    if (isLost) logger.info({ ...describeRun(run), how }, "A run was let go of");
    else logger.error({ err: error, ...describeRun(run) }, "A run broke");
  }

  async function takeOver(): Promise<void> {
    if (closed) return;
    await attempt(async () => {
      await wakeParkedRuns(core, MAX_WOKEN_TOGETHER);
      lastLane = await wakeQueuedRuns(core, { after: lastLane, limit: MAX_LANES });
      const limit = free("agent_turn");
      await startRuns(await takeOverRuns(core, { workerId, leaseMs, limit }), "taken_over");
      // What was parked, or ended elsewhere, has left room.
      for (const loop of allLoops) loop.ended();
    });
  }

  async function renew(): Promise<void> {
    const logIds = [...running.keys()];
    if (logIds.length === 0) return;
    const kept = await attempt(() => renewLeases(core, { workerId, leaseMs, logIds }));
    if (kept === undefined) return;
    for (const logId of logIds) if (!kept.has(logId)) running.get(logId)?.abort.abort();
  }

  async function attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!closed) logger.error({ err: error }, "The worker could not reach its runs");
      return undefined;
    }
  }

  return {
    start: () => {
      unsubscribe = core.bus.subscribe("runs", (hint) => {
        const busyMs = running.size < BUSY_RUNS ? 0 : BUSY_DELAY_MS;
        const delayMs = hint.cause === "added" ? busyMs : LANE_DELAY_MS;
        const kind = hint.cause === "ended" ? undefined : hint.kind;
        for (const loop of kind === undefined ? allLoops : [loops[kind]]) loop.wake(delayMs);
        if (hint.cause !== "ended") return;
        const ended = new Set(hint.logIds);
        for (const { run, abort } of running.values()) if (ended.has(run.logId)) abort.abort();
      });
      timers.push(
        setInterval(() => {
          const work = takeOver();
          takeovers.add(work);
          void work.finally(() => takeovers.delete(work));
        }, TAKEOVER_INTERVAL_MS),
      );
      timers.push(setInterval(() => void renew(), leaseMs / 3));
      const wakeAll = () => {
        for (const loop of allLoops) loop.wake();
      };
      stopPoll = startSafetyPoll(core, wakeAll);
      stopRetention = startRetention({ core, settings, logger, metrics });
      wakeAll();
    },
    close: async (patienceMs) => {
      closed = true;
      unsubscribe();
      await Promise.all([stopRetention(), ...takeovers, ...allLoops.map((loop) => loop.close())]);
      const unfinished = () => Promise.all(running.values().map(({ done }) => done));
      const patience = new AbortController();
      await Promise.race([
        unfinished(),
        sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      patience.abort();
      for (const timer of timers) clearInterval(timer);
      stopPoll();
      const left = [...running.values()];
      for (const { abort } of left) abort.abort();
      await Promise.all([titles.close(), ...left.map(({ done }) => done)]);
      const logIds = left.map(({ run }) => run.logId);
      await attempt(() => handBackRuns(core, { workerId, logIds }));
      await executor.close();
    },
  };
}

/** Wires the two kinds of runs to what executes them and says how they ended. */
function createExecute({
  core,
  logger,
  providers,
  executor,
  titles,
}: Pick<TurnServices, "core" | "logger" | "providers"> & {
  readonly executor: SandboxExecutor;
  readonly titles: TitleMaker;
}): (run: ClaimedRun, turn: Turn | undefined, signal: AbortSignal) => Promise<string> {
  const turns = {
    core,
    logger,
    writer: createLogWriter<MessageEvent>(core),
    finish: createBatcher(async (finished: Parameters<typeof finishTurns>[1]) => {
      const ended = await finishTurns(core, finished);
      return ({ run }) => ended.has(run.logId);
    }, MAX_FINISHED_TOGETHER),
    providers,
  };
  const invocations = {
    core,
    writer: createLogWriter<InvocationEvent>(core),
    finish: createBatcher(async (finished: Parameters<typeof finishInvocations>[1]) => {
      const ended = await finishInvocations(core, finished);
      return ({ run }) => ended.has(run.logId);
    }, MAX_FINISHED_TOGETHER),
    executor,
  };
  return async (run, turn, signal) => {
    if (run.kind === "invocation") return executeInvocation(invocations, run, signal);
    // The conversation was deleted since the run was claimed.
    if (turn === undefined) return "deleted";
    titles.consider(run, turn);
    return executeTurn(turns, { run, turn }, signal);
  };
}
