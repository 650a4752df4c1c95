import { type Claimed, type ClaimedRun, type Core, createBatcher } from "@parley/core";
import { createLogWriter, type LogWriter, type RunEvent } from "./log-writer.ts";
import type { Persistence } from "./outage.ts";

const MAX_FINISHED_TOGETHER = 100;

/** A claim of a worker for runs of one kind. */
export interface ClaimRequest {
  readonly workerId: string;
  readonly leaseMs: number;
  readonly limit: number;
  /** Where the previous claim stopped; 0 at first. */
  readonly after: number;
  /** Runs of the kind that the worker holds. */
  readonly held: Iterable<ClaimedRun>;
}

/** A kind of run: the worker's registry has an entry for each. */
export interface RunKind {
  /** Runs of a workspace at once: that a worker holds, or all workers together. */
  readonly perWorkspace: number;
  /**
   * How long a run keeps its place on a worker: one that takes longer waits for something that has bounds of its
   * own. Left out: until its end.
   */
  readonly keepsPlaceMs?: number;
  claim(request: ClaimRequest): Promise<Claimed>;
  /** Runs a claimed run to its end and gives its outcome. Throws `LostLease`, or the reason of the signal. */
  execute(run: ClaimedRun, signal: AbortSignal): Promise<string>;
  /** Writes the events of the kind's runs. */
  readonly writer: Pick<LogWriter<never>, "release" | "waitingSince">;
}

/** What the runs of a kind need to write their events and to end. */
export interface RunServices<Event extends RunEvent, Finished> {
  readonly core: Core;
  readonly persistence: Persistence;
  readonly writer: LogWriter<Event>;
  /** Ends a run; false when its log is closed or held by another attempt. */
  readonly finish: (finished: Finished) => Promise<boolean>;
}

/** Creates the services of a kind, whose runs are ended in batches by `finishRuns`. */
export function createRunServices<
  Event extends RunEvent,
  Finished extends { readonly run: ClaimedRun },
>(
  { core, persistence }: Pick<RunServices<Event, Finished>, "core" | "persistence">,
  finishRuns: (core: Core, finished: readonly Finished[]) => Promise<ReadonlySet<string>>,
): RunServices<Event, Finished> {
  const finish = createBatcher(
    async (finished: readonly Finished[]) => {
      const ended = await finishRuns(core, finished);
      return ({ run }) => ended.has(run.logId);
    },
    MAX_FINISHED_TOGETHER,
    ({ run }) => run.workspaceId,
  );
  return { core, persistence, writer: createLogWriter<Event>(core), finish };
}

/** The registry of a worker. */
export type RunKinds = Readonly<Record<ClaimedRun["kind"], RunKind>>;

/** Executes a run with its kind; nothing of it is written after that. */
export async function executeRun(
  kinds: RunKinds,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<string> {
  const { execute, writer } = kinds[run.kind];
  // A producer that waits for room in the buffer must stop waiting.
  const release = (): void => writer.release(run);
  signal.addEventListener("abort", release, { once: true });
  try {
    signal.throwIfAborted();
    return await execute(run, signal);
  } finally {
    signal.removeEventListener("abort", release);
    release();
  }
}
