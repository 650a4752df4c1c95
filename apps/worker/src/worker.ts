import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { simulatedProvider } from "@parley/agent";
import {
  type ClaimedRun,
  claimRuns,
  createBatcher,
  type Core,
  finishInvocations,
  finishTurns,
  handBackRuns,
  loadTurns,
  LostLease,
  renewLeases,
  takeOverRuns,
  type Turn,
} from "@parley/core";
import type { InvocationEvent, MessageEvent } from "@parley/schema";
import type { Logger } from "pino";
import type { WorkerSettings } from "./config.ts";
import { createLogWriter } from "./log-writer.ts";
import { startRetention } from "./retention.ts";
import { executeInvocation } from "./run-invocation.ts";
import { executeTurn } from "./run-turn.ts";
import { simulatedExecutor } from "./simulated-executor.ts";

const TAKEOVER_INTERVAL_MS = 1000;
/** What ended may let the next run of its lane go; few lanes have one, so many ends share a look. */
const LANE_DELAY_MS = 10;
/** A worker that has this many runs waits a little, so that more of them share a claim and an end. */
const BUSY_RUNS = 4;
const BUSY_DELAY_MS = 5;
const MAX_FINISHED_TOGETHER = 100;

export interface WorkerOptions {
  readonly core: Core;
  readonly settings: WorkerSettings;
  readonly logger: Logger;
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
export function createWorker({ core, settings, logger }: WorkerOptions): Worker {
  const workerId = randomUUID();
  const leaseMs = settings.PARLEY_LEASE_MS;
  const running = new Map<string, RunningRun>();
  const execute = createExecute(core, logger);
  let closed = false;
  let wanted = false;
  let claiming = false;
  let soon: NodeJS.Timeout | undefined;
  /** Claims that the database has not answered yet. */
  const claims = new Set<Promise<void>>();
  const timers: NodeJS.Timeout[] = [];
  let unsubscribe = (): void => {};
  let stopRetention = (): Promise<void> => Promise.resolve();

  async function startRuns(runs: readonly ClaimedRun[]): Promise<void> {
    const turns = runs.filter((run) => run.kind === "agent_turn");
    const loaded = turns.length === 0 ? undefined : await loadTurns(core, turns);
    for (const run of runs) startRun(run, loaded?.get(run.logId));
  }

  function startRun(run: ClaimedRun, turn: Turn | undefined): void {
    const abort = new AbortController();
    // It may be one whose lease this worker has itself let expire.
    const before = running.get(run.logId);
    before?.abort.abort();
    const done = (before?.done ?? Promise.resolve())
      .then(() => execute(run, turn, abort.signal))
      .catch((error: unknown) => {
        const about = { logId: run.logId, attempt: run.attempt };
        if (error instanceof LostLease) logger.info(about, "A run was lost");
        else if (!abort.signal.aborted) logger.error({ err: error, ...about }, "A run broke");
      })
      .finally(() => {
        // A worker that was full could not claim what waits.
        if (running.size >= settings.PARLEY_WORKER_CONCURRENCY) wake();
        if (running.get(run.logId)?.run === run) running.delete(run.logId);
      });
    running.set(run.logId, { run, abort, done });
  }

  function wake(): void {
    wanted = true;
    if (!claiming && !closed) track(claim());
  }

  function track(work: Promise<void>): void {
    claims.add(work);
    void work.finally(() => claims.delete(work));
  }

  function wakeSoon(delayMs: number): void {
    if (delayMs === 0) return wake();
    soon ??= setTimeout(() => {
      soon = undefined;
      wake();
    }, delayMs);
  }

  async function claim(): Promise<void> {
    claiming = true;
    while (wanted && !closed) {
      wanted = false;
      const limit = settings.PARLEY_WORKER_CONCURRENCY - running.size;
      if (limit <= 0) break;
      await attempt(async () => {
        const claimed = await claimRuns(core, { workerId, leaseMs, limit });
        if (claimed.length === limit) wanted = true;
        await startRuns(claimed);
      });
    }
    claiming = false;
  }

  async function takeOver(): Promise<void> {
    const limit = settings.PARLEY_WORKER_CONCURRENCY - running.size;
    if (limit <= 0 || closed) return;
    await attempt(async () => startRuns(await takeOverRuns(core, { workerId, leaseMs, limit })));
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
        if (hint.cause === "added") wakeSoon(running.size < BUSY_RUNS ? 0 : BUSY_DELAY_MS);
        else wakeSoon(LANE_DELAY_MS);
        if (hint.cause !== "ended") return;
        const ended = new Set(hint.logIds);
        for (const { run, abort } of running.values()) if (ended.has(run.logId)) abort.abort();
      });
      timers.push(setInterval(() => track(takeOver()), TAKEOVER_INTERVAL_MS));
      timers.push(setInterval(() => void renew(), leaseMs / 3));
      timers.push(setInterval(wake, core.safetyPollMs));
      stopRetention = startRetention({ core, settings, logger });
      wake();
    },
    close: async (patienceMs) => {
      closed = true;
      unsubscribe();
      await Promise.all([stopRetention(), ...claims]);
      const unfinished = () => Promise.all(running.values().map(({ done }) => done));
      const patience = new AbortController();
      await Promise.race([
        unfinished(),
        sleep(patienceMs, undefined, { signal: patience.signal }).catch(() => {}),
      ]);
      patience.abort();
      for (const timer of timers) clearInterval(timer);
      clearTimeout(soon);
      const left = [...running.values()];
      for (const { abort } of left) abort.abort();
      await Promise.all(left.map(({ done }) => done));
      const logIds = left.map(({ run }) => run.logId);
      await attempt(() => handBackRuns(core, { workerId, logIds }));
    },
  };
}

/** Wires the two kinds of runs to what executes them. */
function createExecute(
  core: Core,
  logger: Logger,
): (run: ClaimedRun, turn: Turn | undefined, signal: AbortSignal) => Promise<void> {
  const turns = {
    core,
    logger,
    writer: createLogWriter<MessageEvent>(core),
    finish: createBatcher(async (finished: Parameters<typeof finishTurns>[1]) => {
      const ended = await finishTurns(core, finished);
      return ({ run }) => ended.has(run.logId);
    }, MAX_FINISHED_TOGETHER),
    providers: { simulated: simulatedProvider, noop: simulatedProvider },
  };
  const invocations = {
    core,
    writer: createLogWriter<InvocationEvent>(core),
    finish: createBatcher(async (finished: Parameters<typeof finishInvocations>[1]) => {
      const ended = await finishInvocations(core, finished);
      return ({ run }) => ended.has(run.logId);
    }, MAX_FINISHED_TOGETHER),
    executor: simulatedExecutor,
  };
  return async (run, turn, signal) => {
    if (run.kind === "invocation") await executeInvocation(invocations, run, signal);
    // Without a turn, the conversation was deleted since the run was claimed.
    else if (turn !== undefined) await executeTurn(turns, { run, turn }, signal);
  };
}
