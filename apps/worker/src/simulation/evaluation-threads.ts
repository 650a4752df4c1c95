import path from "node:path";
import { Worker } from "node:worker_threads";
import type { Evaluated } from "./evaluate.ts";
import type { EvaluationTask } from "./evaluation-thread.ts";

// An expression can loop for ever within one call (a regular expression), or allocate without end:
// nothing but ending its thread stops it.

const RESOURCES = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };
/** Expressions are to stop by themselves first: ending a thread costs the next one its start. */
const GRACE_MS = 250;
// Sources run as they are in development, and are compiled for the rest.
const entry = new URL(`./evaluation-thread${path.extname(import.meta.url)}`, import.meta.url);

export interface EvaluationThreads {
  /** Evaluates what a run asks for, all of it within the time; throws only if the signal aborts. */
  evaluate(task: EvaluationTask, signal: AbortSignal): Promise<Evaluated[]>;
  /** Ends all threads. */
  close(): Promise<void>;
}

interface Job {
  readonly task: EvaluationTask;
  readonly settle: (results: Evaluated[]) => void;
}

interface Thread {
  readonly worker: Worker;
  isReady: boolean;
  job: Job | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Keeps up to `count` threads for expressions; each is started when it is first needed. */
export function createEvaluationThreads(count: number): EvaluationThreads {
  const threads = new Set<Thread>();
  const queue: Job[] = [];

  const start = (): Thread => {
    const worker = new Worker(entry, { execArgv: [], resourceLimits: RESOURCES });
    worker.unref();
    const thread: Thread = { worker, isReady: false, job: undefined, timer: undefined };
    threads.add(thread);
    worker.on("message", (message: "ready" | Evaluated[]) => {
      if (message !== "ready") return settle(thread, message);
      thread.isReady = true;
      post(thread);
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      const isFull = error.code === "ERR_WORKER_OUT_OF_MEMORY";
      fail(thread, isFull ? "out_of_memory" : "invocation_failed", error.message);
    });
    worker.on("exit", () => fail(thread, "invocation_failed", "The expression's thread ended"));
    return thread;
  };

  const post = (thread: Thread): void => {
    const { job, worker } = thread;
    if (job === undefined || !thread.isReady) return;
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has none
    worker.postMessage(job.task);
    thread.timer = setTimeout(
      () => fail(thread, "timed_out", "The expression took too long"),
      job.task.timeoutMs + GRACE_MS,
    );
  };

  const settle = (thread: Thread, results: Evaluated[]): void => {
    clearTimeout(thread.timer);
    thread.job?.settle(results);
    thread.job = undefined;
    pump();
  };

  /** Ends the thread; what it was doing has failed. */
  const fail = (
    thread: Thread,
    code: "timed_out" | "out_of_memory" | "invocation_failed",
    message: string,
  ): void => {
    threads.delete(thread);
    void thread.worker.terminate();
    settle(thread, thread.job?.task.evaluations.map(() => ({ code, message })) ?? []);
  };

  const pump = (): void => {
    while (queue.length > 0) {
      const idle = [...threads].find(({ job }) => job === undefined);
      const thread = idle ?? (threads.size < count ? start() : undefined);
      if (thread === undefined) return;
      thread.job = queue.shift();
      post(thread);
    }
  };

  const drop = (job: Job): void => {
    const waiting = queue.indexOf(job);
    if (waiting !== -1) queue.splice(waiting, 1);
    const thread = [...threads].find((one) => one.job === job);
    if (thread !== undefined) fail(thread, "invocation_failed", "Nobody waits for it");
  };

  return {
    evaluate: async (task, signal) => {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<Evaluated[]>();
      const job = { task, settle: resolve };
      const abort = (): void => {
        reject(signal.reason);
        drop(job);
      };
      signal.addEventListener("abort", abort, { once: true });
      queue.push(job);
      pump();
      return promise.finally(() => signal.removeEventListener("abort", abort));
    },
    close: async () => {
      const ended = [...threads].map(({ worker }) => worker.terminate());
      await Promise.all(ended);
    },
  };
}
