import {
  appendEvents,
  type ClaimedRun,
  type Core,
  type Hint,
  lostLease,
  retryConflicts,
} from "@parley/core";
import type { InvocationEvent, MessageEvent } from "@parley/schema";

type RunEvent = MessageEvent | InvocationEvent;

/** Two writes are at least this far apart, whatever comes in between. */
const INTERVAL_MS = 50;
/** Past this many buffered events a producer waits for the write. */
const MAX_BUFFERED = 2000;

/** Writes the events of all runs of a worker, many logs in one statement. */
export interface LogWriter<Event extends RunEvent> {
  /** Buffers an event; resolves at once unless too much is buffered. */
  write(run: ClaimedRun, event: Event): Promise<void>;
  /** Waits for the write that is under way and takes what is still buffered for the run. */
  take(run: ClaimedRun): Promise<Event[]>;
}

interface Buffer<Event> {
  readonly run: ClaimedRun;
  events: Event[];
}

/**
 * Makes the writer of a worker. Once a run's events could not be written (its log is closed or held
 * by another attempt, or the database failed) everything else of that run throws: its lease ends by
 * itself, and a takeover goes on from what the log holds.
 */
export function createLogWriter<Event extends RunEvent>(core: Core): LogWriter<Event> {
  let buffers = new Map<string, Buffer<Event>>();
  let buffered = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastWrite = 0;
  let writing: Promise<void> = Promise.resolve();
  const failures = new WeakMap<ClaimedRun, Error>();

  const flush = async (): Promise<void> => {
    const runs = [...buffers.values()];
    buffers = new Map();
    buffered = 0;
    lastWrite = performance.now();
    if (runs.length === 0) return;
    const hints: Hint[] = [];
    const appends = runs.map(({ run, events }) => ({
      logId: run.logId,
      events,
      guard: { logId: run.logId, fence: run.attempt },
    }));
    try {
      const written = await retryConflicts(core, () =>
        appendEvents(core.database.db, appends, hints),
      );
      core.bus.publish(hints);
      for (const { run } of runs) {
        if (!written.has(run.logId)) failures.set(run, lostLease(run));
      }
    } catch (cause) {
      const failure = new Error("Events could not be written", { cause });
      for (const { run } of runs) failures.set(run, failure);
    }
  };

  const throwIfFailed = (run: ClaimedRun): void => {
    const failure = failures.get(run);
    if (failure !== undefined) throw failure;
  };

  /** The buffer of the run; an earlier attempt of this worker at the same run has lost its own. */
  const openBuffer = (run: ClaimedRun): Buffer<Event> => {
    const found = buffers.get(run.logId);
    if (found?.run === run) return found;
    if (found !== undefined) {
      const stale = found.run.attempt < run.attempt ? found.run : run;
      failures.set(stale, lostLease(stale));
      throwIfFailed(run);
      buffered -= found.events.length;
    }
    const opened = { run, events: [] };
    buffers.set(run.logId, opened);
    return opened;
  };

  const schedule = (): void => {
    if (timer !== undefined) return;
    const waitMs = Math.max(0, lastWrite + INTERVAL_MS - performance.now());
    timer = setTimeout(() => {
      timer = undefined;
      writing = writing.then(flush);
    }, waitMs);
  };

  return {
    write: async (run, event) => {
      throwIfFailed(run);
      openBuffer(run).events.push(event);
      buffered++;
      schedule();
      if (buffered > MAX_BUFFERED) await (writing = writing.then(flush));
    },
    take: async (run) => {
      // Another write may have begun while this one was waited for.
      for (let seen; seen !== writing;) await (seen = writing);
      throwIfFailed(run);
      const buffer = buffers.get(run.logId);
      if (buffer?.run !== run) return [];
      const { events } = buffer;
      buffers.delete(run.logId);
      buffered -= events.length;
      return events;
    },
  };
}
