import type { RedisConnection } from "@parley/core";
import { RateLimiterRedis } from "rate-limiter-flexible";
import { createLimiter, type Limiter, type Policy, take } from "./limiter.ts";

/** Where the processes of a server count together. */
export interface SharedCounters {
  readonly redis: RedisConnection;
  /** Begins the name of every counter. */
  readonly prefix: string;
}

/**
 * Counts in Redis, for all processes together. While Redis does not answer, each process counts for
 * itself: a limit is then as many times as wide as there are processes, and no call waits.
 */
export function createSharedLimiter(policy: Policy, { redis, prefix }: SharedCounters): Limiter {
  const insurance = createLimiter(policy);
  const counters = new RateLimiterRedis({
    storeClient: redis,
    rejectIfRedisNotReady: true,
    keyPrefix: `${prefix}:rate:${policy.name}`,
    points: policy.quota,
    duration: policy.windowSeconds,
  });
  return {
    consume: async (subject, points) => {
      try {
        const { state, refused } = await take(counters, subject, points);
        const { remainingPoints: remaining, msBeforeNext: resetMs } = state;
        return { policy, remaining, resetMs, refused };
      } catch {
        return insurance.consume(subject, points);
      }
    },
  };
}
