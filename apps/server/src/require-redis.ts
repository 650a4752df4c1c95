import { CommandError } from "@parley/command/command-error";
import { openRedis } from "@parley/core";

/** Longer than a connection may take to open. */
const SILENT_MS = 3000;

/**
 * Resolves once Redis has answered. A process that runs outlives an outage of Redis, but one that starts
 * may have a wrong setting. Throws `CommandError`.
 */
export async function requireRedis(url: string): Promise<void> {
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>();
  const redis = openRedis({ url, name: "parley-start", onError: reject });
  redis.once("ready", resolve);
  const silent = setTimeout(() => reject(new Error("it does not answer")), SILENT_MS);
  try {
    await ready;
    await redis.ping();
  } catch (cause) {
    const { message, code = "it does not answer" } = cause as NodeJS.ErrnoException;
    throw new CommandError(
      `Redis at ${new URL(url).host} cannot be used: ${message || code}: start it, or correct or unset REDIS_URL`,
      { cause },
    );
  } finally {
    clearTimeout(silent);
    redis.disconnect();
  }
}
