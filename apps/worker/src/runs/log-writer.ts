import {
  appendEvents,
  type ClaimedRun,
  type Core,
  type Hint,
  lostLease,
  retryConflicts,
} from "@parley/core";
import type { InvocationEvent, MessageEvent } from "@parley/schema";
import { createBackoff, isTemporary } from "./outage.ts";

// A run's events are written in order, each batch with the number that it must get: events after a
// batch whose outcome is unknown wait, or are written with it, and never before it.

/** An event of a run of any kind. */
export type RunEvent = MessageEvent | InvocationEvent;

/** Least time between two writes. */
const INTERVAL_MS = 50;
/** With more buffered events than this, the producer of a run waits for the write. */
const MAX_BUFFERED = 500;
/** Characters of a run's events per write, so that a run with much output does not delay the others. */
const MAX_WRITTEN = 256 * 1024;
/** Characters of an event besides its text. */
const EVENT_CHARACTERS = 200;

/** Events of a run that are not written yet, and where its log ends as far as the writer knows. */
export interface Unwritten<Event> {
  readonly events: readonly Event[];
  /** Number of the event before them. */
  readonly lastSeq: number;
}

/** Writes the events of all runs of a worker, many logs in one statement. */
export interface LogWriter<Event extends RunEvent> {
  /** Buffers an event; resolves at once unless too much is buffered. */
  write(run: ClaimedRun, event: Event): Promise<void>;
  /** Waits for the current write and removes the events that are still buffered for the run. */
  take(run: ClaimedRun): Promise<Unwritten<Event>>;
  /** Sets where the run's log ends, after its taken events were written elsewhere. */
  continueAfter(run: ClaimedRun, lastSeq: number): void;
  /** Discards the run: nothing of it is written any more. */
  release(run: ClaimedRun): void;
  /** Since when the run has waited for the database, by the clock of `performance`. */
  waitingSince(run: ClaimedRun): number | undefined;
}

interface Buffer<Event> {
  readonly run: ClaimedRun;
  lastSeq: number;
  events: Event[];
  waitingSince: number | undefined;
}

/**
 * Creates the writer of a worker. During an outage of the database, events are buffered and written in
 * order afterwards. A run fails when its log is closed or held by another attempt, or when the
 * database refuses its data: all its later calls throw.
 */
export function createLogWriter<Event extends RunEvent>(core: Core): LogWriter<Event> {
  const buffers = new Map<string, Buffer<Event>>();
  const failures = new WeakMap<ClaimedRun, () => Error>();
  const backoff = createBackoff(core);
  let buffered = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastWrite = 0;
  let writing: Promise<void> | undefined;
  let room = Promise.withResolvers<void>();

  const wakeProducers = (): void => {
    const { resolve } = room;
    room = Promise.withResolvers();
    resolve();
  };

  const flush = async (): Promise<void> => {
    lastWrite = performance.now();
    const some = [...buffers.values()].filter(({ events }) => events.length > 0);
    for (const buffer of some) buffer.waitingSince ??= lastWrite;
    if (some.length > 0) await append(some);
    wakeProducers();
  };

  const append = async (some: readonly Buffer<Event>[]): Promise<void> => {
    const batches = some.map((buffer) => ({ buffer, events: nextOf(buffer.events) }));
    const hints: Hint[] = [];
    const appends = batches.map(({ buffer: { run, lastSeq }, events }) => ({
      logId: run.logId,
      events,
      guard: { logId: run.logId, fence: run.attempt, lastSeq },
    }));
    try {
      const logIds = await retryConflicts(core, () =>
        appendEvents(core.database.db, appends, hints),
      );
      core.bus.publish(hints);
      backoff.reset();
      for (const { buffer, events } of batches) {
        if (!logIds.has(buffer.run.logId)) fail(buffer, lostLease(buffer.run));
        else remove(buffer, events.length);
      }
    } catch (cause) {
      if (isTemporary(cause)) {
        backoff.failed();
      } else if (some.length > 1) for (const buffer of some) await append([buffer]);
      else for (const buffer of some) fail(buffer, new Error("Events were refused", { cause }));
    }
  };

  const remove = (buffer: Buffer<Event>, count: number): void => {
    buffer.waitingSince = undefined;
    // It was released in the meantime.
    if (buffers.get(buffer.run.logId) !== buffer) return;
    buffer.lastSeq += count;
    buffer.events.splice(0, count);
    buffered -= count;
  };

  const forget = (buffer: Buffer<Event>): void => {
    if (buffers.get(buffer.run.logId) !== buffer) return;
    buffers.delete(buffer.run.logId);
    buffered -= buffer.events.length;
  };

  const fail = (buffer: Buffer<Event>, failure: Error): void => {
    failures.set(buffer.run, () => failure);
    forget(buffer);
  };

  const throwIfFailed = (run: ClaimedRun): void => {
    const failure = failures.get(run);
    if (failure !== undefined) throw failure();
  };

  /** The buffer of the run; an earlier attempt at it in this worker loses its buffer. */
  const openBuffer = (run: ClaimedRun): Buffer<Event> => {
    throwIfFailed(run);
    const found = buffers.get(run.logId);
    if (found?.run === run) return found;
    if (found !== undefined) {
      const stale = found.run.attempt < run.attempt ? found.run : run;
      failures.set(stale, () => lostLease(stale));
      throwIfFailed(run);
      forget(found);
    }
    const opened = { run, lastSeq: run.lastSeq, events: [], waitingSince: undefined };
    buffers.set(run.logId, opened);
    return opened;
  };

  const isFull = ({ events }: Buffer<Event>): boolean => events.length > MAX_BUFFERED;

  const schedule = (isUrgent: boolean): void => {
    if (writing !== undefined || buffered === 0) return;
    if (timer !== undefined && !isUrgent) return;
    clearTimeout(timer);
    const pauseMs = isUrgent ? 0 : lastWrite + INTERVAL_MS - performance.now();
    timer = setTimeout(begin, Math.max(pauseMs, backoff.waitMs()));
  };

  const begin = (): void => {
    timer = undefined;
    writing = flush().finally(() => {
      writing = undefined;
      schedule(buffers.values().some(isFull));
    });
  };

  return {
    write: async (run, event) => {
      const buffer = openBuffer(run);
      buffer.events.push(event);
      buffered++;
      schedule(isFull(buffer));
      while (isFull(buffer)) {
        await room.promise;
        throwIfFailed(run);
      }
    },
    take: async (run) => {
      while (writing !== undefined) await writing;
      const buffer = openBuffer(run);
      const { events, lastSeq } = buffer;
      buffer.events = [];
      buffered -= events.length;
      return { events, lastSeq };
    },
    continueAfter: (run, lastSeq) => void (openBuffer(run).lastSeq = lastSeq),
    release: (run) => {
      // Made when it is asked for: an error's stack costs, and most runs end well.
      failures.set(run, failures.get(run) ?? (() => lostLease(run)));
      const buffer = buffers.get(run.logId);
      if (buffer?.run === run) forget(buffer);
      wakeProducers();
    },
    waitingSince: (run) => {
      const buffer = buffers.get(run.logId);
      return buffer?.run === run ? buffer.waitingSince : undefined;
    },
  };
}

/** The first of a run's events that fit into one write, one at least. */
function nextOf<Event extends RunEvent>(events: readonly Event[]): Event[] {
  let characters = 0;
  const end = events.findIndex((event) => {
    characters += EVENT_CHARACTERS + ("text" in event ? event.text.length : 0);
    return characters > MAX_WRITTEN;
  });
  return end === -1 ? [...events] : events.slice(0, Math.max(1, end));
}
