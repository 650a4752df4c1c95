import { Redis } from "ioredis";

export type { Redis as RedisConnection } from "ioredis";

/** A connection that has been silent for this long, although it was asked something, is given up. */
const SILENCE_MS = 2000;
const PING_MS = 500;
const MAX_RETRY_MS = 1000;

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user, password and database if there are any. */
  readonly url: string;
  /** What the connection is for, as `client list` shows it. */
  readonly name: string;
  /** Told of what the connection meets; it goes on by itself. */
  readonly onError: (error: Error) => void;
  /** How long a command is waited for; for as long as the connection lives by default. */
  readonly commandTimeoutMs?: number;
}

/**
 * Opens a connection to Redis that comes back by itself, also from a server that hangs without
 * closing. Nothing is queued for a server that is not there: commands fail at once. One that does
 * not answer is given up with all that waits for it.
 */
export function openRedis({ url, name, onError, commandTimeoutMs }: RedisOptions): Redis {
  const redis = new Redis(url, {
    connectionName: name,
    connectTimeout: SILENCE_MS,
    commandTimeout: commandTimeoutMs,
    socketTimeout: SILENCE_MS,
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    autoResubscribe: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), MAX_RETRY_MS),
  });
  redis.on("error", onError);
  const timer = setInterval(() => {
    // Its answer is only waited for, so that silence is noticed.
    if (redis.status === "ready") redis.ping().catch(() => {});
  }, PING_MS);
  timer.unref();
  redis.once("end", () => clearInterval(timer));
  return redis;
}
