import type { Core } from "../context.ts";

/** How often is looked while the bus is not connected, in milliseconds. */
const DISCONNECTED_MS = 1000;

/**
 * Calls `look` now and then, in case hints were lost: every `safetyPollMs`, or every second while the
 * bus is not connected, with some jitter, until the returned function is called.
 */
export function startSafetyPoll(
  { bus, safetyPollMs, random }: Pick<Core, "bus" | "safetyPollMs" | "random">,
  look: () => void,
): () => void {
  const shortMs = Math.min(DISCONNECTED_MS, safetyPollMs);
  let dueMs = 0;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    // What is spread here does not come to the database all at once.
    const waitMs = shortMs * (0.8 + 0.4 * random());
    timer = setTimeout(() => {
      dueMs -= waitMs;
      if (dueMs <= 0 || !bus.isConnected()) {
        dueMs = safetyPollMs;
        look();
      }
      wait();
    }, waitMs).unref();
  };
  dueMs = safetyPollMs;
  wait();
  return () => clearTimeout(timer);
}
