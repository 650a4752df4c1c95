/**
 * The threads in which a process runs untrusted work: expressions, schemas, patterns, Markdown, pages, and
 * the counting of tokens. One call can run for ever or take all memory, which only the end of its thread
 * stops; on the event loop it would block all requests. All workspaces share the threads and take turns; a
 * call's deadline starts when it begins to run.
 */
import { availableParallelism } from "node:os";
import { createFairQueue, type Taken } from "@parley/fair-queue";
import { ParleyError } from "@parley/schema";
import { LRUCache } from "lru-cache";
import { Piscina } from "piscina";
import { type Job, threadModule } from "./job.ts";
import { createProgress, type Progress, readProgress } from "./progress.ts";
import type { Called, Calls } from "./thread.ts";

/** At least two threads are used, so that one workspace cannot have all. More than cores gain nothing. */
const MAX_THREADS = 4;
/** The worst megabyte of Markdown takes 250 MB; work that takes more ends its thread. */
const RESOURCES = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 };
/** The start of a thread takes 0.1 s and 20 MB. */
const IDLE_MS = 600_000;
/** How long a thread may take to start and to import modules, on a busy machine. */
const START_MS = 30_000;
/**
 * Waiting calls of a workspace after which those of requests are refused, by length. Calls of runs are
 * bounded by the number of claimed runs.
 */
const MAX_WAITING = { long: 16, short: 1000 };
/**
 * Short calls of a workspace that go to a thread together: a hop costs 0.2 ms, and a busy event loop reads
 * answers once per turn.
 */
const MAX_TOGETHER = 32;
const SHORT_MS = 2000;
/**
 * Workspaces whose call ended a thread: for this time their calls go to a separate pool, so that others do
 * not wait for the start of a thread.
 */
const SUSPECTS = { ttl: 60_000, max: 1000 };
/** How many times its deadline a call may take by the clock, if its thread waits for a processor. */
const MAX_SLOWDOWN = 10;
const CLOSED = "The threads are closed";

/** The result of a call: its value, or why its thread was ended. */
export type Outcome<T> = { readonly value: T } | { readonly failure: "too slow" | "out of memory" };

/** A call whose function threw. */
export class BrokenCall extends Error {}

export interface CallOptions {
  readonly workspaceId: number;
  /** A call of a request is refused if too many calls of its workspace wait. */
  readonly origin: "request" | "run";
  /** Overrides the deadline of the job. */
  readonly deadlineMs?: number;
  /** Aborts the waiting; a call that runs is left to its deadline. */
  readonly signal?: AbortSignal;
}

export interface Threads {
  /** Calls a job. Throws `rate_limit_error` for a request, the reason of the signal, and `BrokenCall`. */
  call<Input, Output>(
    job: Job<Input, Output>,
    input: Input,
    options: CallOptions,
  ): Promise<Outcome<Output>>;
  /** Ends all threads. */
  close(): Promise<void>;
}

interface Call {
  readonly url: string;
  readonly name: string;
  readonly input: unknown;
  readonly deadlineMs: number;
  /** Runs alone, because it is unknown which of several calls ended their thread. */
  alone: boolean;
  /** Aborted if nobody waits for it any longer. */
  readonly signal: AbortSignal | undefined;
  readonly resolve: (outcome: Outcome<unknown>) => void;
  readonly reject: (error: unknown) => void;
}

/** Creates the threads of a process; they start on demand, and do not keep the process alive. */
export function createThreads(
  count = Math.min(Math.max(availableParallelism(), 2), MAX_THREADS),
): Threads {
  const maxSuspect = Math.max(1, Math.floor(count / 2));
  const queue = createFairQueue<Call>({ places: count, together: countTogether });
  const suspects = new LRUCache<number, true>(SUSPECTS);
  const pools: { ordinary?: Piscina; suspect?: Piscina } = {};
  const running = { ordinary: 0, suspect: 0 };
  let lastError: unknown;
  let isClosed = false;

  const kindOf = (workspaceId: number) => (suspects.has(workspaceId) ? "suspect" : "ordinary");
  const mayRun = (workspaceId: number): boolean =>
    kindOf(workspaceId) === "ordinary" || running.suspect < maxSuspect;

  const openPool = (): Piscina => {
    const opened = new Piscina({
      filename: threadModule("thread", import.meta.url),
      name: "makeCalls",
      minThreads: 0,
      maxThreads: count,
      idleTimeout: IDLE_MS,
      resourceLimits: RESOURCES,
      // Threads do not get the arguments and the environment of the process.
      execArgv: [],
      env: {},
      recordTiming: false,
    });
    // Errors of threads without a call.
    opened.on("error", (error) => (lastError = error));
    return opened;
  };

  const pump = (): void => {
    while (!isClosed) {
      const taken = queue.take(mayRun);
      if (taken === undefined) return;
      const { workspaceId } = taken;
      const kind = kindOf(workspaceId);
      running[kind]++;
      void runTogether((pools[kind] ??= openPool()), taken)
        .then((again) => queue.putBack(workspaceId, again))
        .finally(() => {
          running[kind]--;
          queue.ended(workspaceId);
          pump();
        });
    }
  };

  /** Runs calls in a thread and settles them. The result is the calls to run again. */
  const runTogether = async (
    pool: Piscina,
    { workspaceId, items: calls }: Taken<Call>,
  ): Promise<readonly Call[]> => {
    const progress = createProgress();
    const watch = watchDeadlines(calls, progress);
    const asked: Calls = {
      calls: calls.map(({ url, name, input }) => ({ url, name, input })),
      progress,
    };
    try {
      const answers = (await pool.run(asked, { signal: watch.signal })) as Called[];
      for (const [position, call] of calls.entries()) settle(call, answers[position]!);
      return [];
    } catch (error) {
      if (isClosed) return refuseAll(calls, error);
      suspects.set(workspaceId, true);
      return blame(calls, { error, late: watch.late() });
    } finally {
      watch.stop();
    }
  };

  /** Settles the call that ended its thread, and returns the others. */
  const blame = (
    calls: readonly Call[],
    { error, late }: { error: unknown; late: number | "start" | undefined },
  ): readonly Call[] => {
    if (late === "start") {
      const cause = lastError ?? error;
      return refuseAll(calls, new Error("The thread did not start", { cause }));
    }
    const failure = late === undefined ? failureOf(error) : "too slow";
    if (calls.length === 1 || late !== undefined) {
      const guilty = calls[late ?? 0]!;
      if (failure === undefined) guilty.reject(error);
      else guilty.resolve({ failure });
      return calls.filter((call) => call !== guilty);
    }
    for (const call of calls) call.alone = true;
    return calls;
  };

  return {
    call: async (job, input, { workspaceId, origin, deadlineMs = job.deadlineMs, signal }) => {
      signal?.throwIfAborted();
      const maxWaiting = MAX_WAITING[deadlineMs > SHORT_MS ? "long" : "short"];
      if (origin === "request" && queue.waiting(workspaceId) >= maxWaiting) {
        const message = "Too many checks of the workspace are queued: try again";
        throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 1 });
      }
      const { promise, resolve, reject } = Promise.withResolvers<Outcome<never>>();
      const { url, name } = job;
      const settled = { resolve: resolve as Call["resolve"], reject };
      const call: Call = { url, name, input, deadlineMs, alone: false, signal, ...settled };
      if (isClosed) reject(new Error(CLOSED));
      else queue.push(workspaceId, call);
      pump();
      if (signal === undefined) return promise;
      const abort = (): void => {
        queue.remove(workspaceId, call);
        reject(signal.reason);
      };
      signal.addEventListener("abort", abort, { once: true });
      return promise.finally(() => signal.removeEventListener("abort", abort));
    },
    close: async () => {
      isClosed = true;
      refuseAll(queue.clear(), new Error(CLOSED));
      await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
    },
  };
}

function countTogether(calls: readonly Call[]): number {
  const apart = calls.findIndex(({ alone, deadlineMs }) => alone || deadlineMs > SHORT_MS);
  const together = apart === -1 ? calls.length : apart;
  return Math.min(Math.max(1, together), MAX_TOGETHER);
}

function settle(call: Call, answer: Called): void {
  if ("value" in answer) call.resolve(answer);
  else call.reject(new BrokenCall(`A thread's call broke: ${answer.broken}`));
}

function refuseAll(calls: readonly Call[], error: unknown): readonly Call[] {
  for (const call of calls) call.reject(error);
  return [];
}

function failureOf(error: unknown): "out of memory" | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return code === "ERR_WORKER_OUT_OF_MEMORY" ? "out of memory" : undefined;
}

/** Aborts its signal when the running call exceeds its deadline; `late` is the position of that call. */
function watchDeadlines(calls: readonly Call[], progress: Progress) {
  const controller = new AbortController();
  const startBy = performance.now() + START_MS;
  let late: number | "start" | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;

  const left = (): { ms: number; position: number | "start" } => {
    const current = readProgress(progress);
    if (current === undefined) return { ms: startBy - performance.now(), position: "start" };
    const { position, tookMs, cpuMs = tookMs } = current;
    const { deadlineMs, signal } = calls[position]!;
    const slowdown = signal?.aborted === true ? 1 : MAX_SLOWDOWN;
    const ms = Math.min(deadlineMs - cpuMs, slowdown * deadlineMs - tookMs);
    return { ms, position };
  };
  const look = (): void => {
    if (isOver) return;
    const { ms, position } = left();
    if (ms > 0) {
      timer = setTimeout(lookAfterAnswers, ms);
      return;
    }
    late = position;
    controller.abort();
  };
  // If the event loop was held up, answers may have come that it has not seen yet: those first.
  const lookAfterAnswers = (): void => void setImmediate(look);
  timer = setTimeout(lookAfterAnswers, calls[0]?.deadlineMs);
  return {
    signal: controller.signal,
    late: () => late,
    stop: () => {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

/** Operators share a queue of their own. */
const OPERATORS = 0;

/** The part of a request that decides its queue and its end. */
export interface WaitingRequest {
  readonly caller:
    | { readonly kind: "workspace"; readonly workspace: { readonly id: number } }
    | { readonly kind: "operator" };
  readonly signal: AbortSignal;
}

/** How a request calls threads: in the queue of its workspace, until the request is aborted. */
export function threadOptions({ caller, signal }: WaitingRequest): CallOptions {
  const workspaceId = caller.kind === "workspace" ? caller.workspace.id : OPERATORS;
  return { workspaceId, origin: "request", signal };
}
