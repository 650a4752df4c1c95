import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { answerParent } from "../child-requests.ts";
import { percentile } from "../statistics.ts";
import type { LoadPlan, LoadResult } from "./plan.ts";

/** A connection that does one thing after the other. */
export interface Loop {
  /** Does the next thing. Throws when that fails, which ends the plan. */
  next(): Promise<void>;
  close(): Promise<void>;
}

/** What a process that makes a load does on request: one plan after the other. */
export type LoadHandlers = {
  /** Begins with a plan. Resolves when the window that counts opens. */
  open(plan: LoadPlan): Promise<void>;
  /** Resolves when the window closes. */
  close(): Promise<void>;
  /** Ends the plan, and its connections: what they cost others can be read before. */
  result(): Promise<LoadResult>;
};

/** Answers the process that started this one, as `load-generator.ts` asks; each plan has loops of its own. */
export function answerLoads(connect: (plan: LoadPlan) => Promise<readonly Loop[]>): void {
  let loops: readonly Loop[] = [];
  let opensAt = 0;
  let closesAt = 0;
  let result: Promise<LoadResult> | undefined;
  /** Waits for a time; throws when the plan fails before it. */
  const waitUntil = async (atMs: number): Promise<void> => {
    await Promise.race([sleep(Math.max(0, atMs - performance.now())), result]);
  };
  const handlers: LoadHandlers = {
    open: async (plan) => {
      loops = await connect(plan);
      opensAt = performance.now() + plan.warmUpMs;
      closesAt = opensAt + plan.windowMs;
      result = runLoops(loops, { opensAt, closesAt, staysAwake: plan.staysAwake ?? false });
      // It is told at the next request, which may not have come yet.
      result.catch(() => {});
      await waitUntil(opensAt);
    },
    close: () => waitUntil(closesAt),
    result: async () => {
      if (result === undefined) throw new Error("There is no plan");
      const seen = await result;
      await Promise.all(loops.map((loop) => loop.close()));
      return seen;
    },
  };
  answerParent(handlers);
}

/** Runs loops until the window closes. Only what ends within the window counts. */
async function runLoops(
  loops: readonly Loop[],
  { opensAt, closesAt, staysAwake }: { opensAt: number; closesAt: number; staysAwake: boolean },
): Promise<LoadResult> {
  const latencies: number[] = [];
  const run = async ({ next }: Loop): Promise<void> => {
    for (let startedAt = performance.now(); startedAt < closesAt;) {
      await next();
      const endedAt = performance.now();
      if (endedAt >= opensAt && endedAt < closesAt) latencies.push(endedAt - startedAt);
      startedAt = endedAt;
    }
  };
  let done = false;
  // Never sleeps, so that nobody pays for waking it.
  const stayAwake = async (): Promise<void> => {
    while (!done) await nextTurn();
  };
  if (staysAwake) void stayAwake();
  try {
    await Promise.all(loops.map(run));
  } finally {
    done = true;
  }
  return {
    count: latencies.length,
    perSecond: (latencies.length * 1000) / (closesAt - opensAt),
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}
