import type { RedisConnection } from "@parley/core";
import {
  type Charge,
  createLimiter,
  describe,
  type Limiter,
  SHORT_WINDOW_SECONDS,
} from "./memory-limiter.ts";

/** The Redis in which the processes of a server count together. */
export interface SharedCounters {
  readonly redis: RedisConnection;
  /** Prefix of every counter's name. */
  readonly prefix: string;
}

/**
 * `Limiter.consume` as one script. Arguments: points, quota and seconds of each counter in turn.
 * Result: for each counter, what was used before and after, and the milliseconds left.
 */
const CONSUME = `
local before, refused = {}, 0
for i, key in ipairs(KEYS) do
  before[i] = tonumber(redis.call('GET', key) or '0')
  if refused == 0 and before[i] + ARGV[3 * i - 2] > tonumber(ARGV[3 * i - 1]) then refused = i end
end
local results = {}
for i, key in ipairs(KEYS) do
  local points, seconds, after = ARGV[3 * i - 2], tonumber(ARGV[3 * i]), before[i]
  if refused == 0 or (refused == i and seconds <= ${SHORT_WINDOW_SECONDS}) then
    redis.call('SET', key, 0, 'EX', seconds, 'NX')
    after = redis.call('INCRBY', key, points)
  end
  local left = redis.call('PTTL', key)
  if left < 0 then left = seconds * 1000 end
  table.insert(results, before[i])
  table.insert(results, after)
  table.insert(results, left)
end
return results`;

type Consume = (count: number, ...args: readonly (string | number)[]) => Promise<number[]>;

/**
 * Counts in Redis, for all processes together, in one round trip. While Redis is down, each process
 * counts for itself: no call waits, and a limit is multiplied by the number of processes.
 */
export function createSharedLimiter({ redis, prefix }: SharedCounters): Limiter {
  const insurance = createLimiter();
  redis.defineCommand("parleyConsume", { lua: CONSUME });
  // The type of a connection lacks the commands that are defined on it.
  const { parleyConsume } = redis as unknown as { parleyConsume: Consume };
  const nameOf = ({ policy, subject }: Charge) => `${prefix}:rate:${policy.name}:${subject}`;

  return {
    consume: async (charges) => {
      if (redis.status !== "ready") return insurance.consume(charges);
      const args = charges.flatMap(({ policy, points }) => [
        points,
        policy.quota,
        policy.windowSeconds,
      ]);
      try {
        const keys = charges.map(nameOf);
        const results = await parleyConsume.call(redis, keys.length, ...keys, ...args);
        return charges.map((charge, index) => {
          const [before = 0, after = 0, resetMs = 0] = results.slice(3 * index, 3 * index + 3);
          return describe(charge, { before, after, resetMs });
        });
      } catch {
        return insurance.consume(charges);
      }
    },
  };
}
