import { Redis } from "ioredis";

export type { Redis as RedisConnection } from "ioredis";

/** A connection that does not answer for this long is closed. */
const SILENCE_MS = 2000;
const PING_MS = 500;
const MAX_RETRY_MS = 1000;

export interface RedisOptions {
  /** `redis://` or `rediss://`, with user, password and database if there are any. */
  readonly url: string;
  /** What the connection is for, as `client list` shows it. */
  readonly name: string;
  /** Called with errors of the connection, which reconnects by itself. */
  readonly onError: (error: Error) => void;
  /** How long to wait for a command; by default as long as the connection lives. */
  readonly commandTimeoutMs?: number;
}

/**
 * Opens a connection to Redis that reconnects by itself, also from a server that hangs without closing.
 * Commands are not queued while it is disconnected, but fail at once.
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
    // Only to notice silence.
    if (redis.status === "ready") redis.ping().catch(() => {});
  }, PING_MS);
  timer.unref();
  redis.once("end", () => clearInterval(timer));
  return redis;
}
