import type { LogRuntime } from "./log-runtime.ts";

/** The interval while the bus is not connected. */
const DISCONNECTED_MS = 1000;

/**
 * Calls `look` every `safetyPollMs`, or every second while the bus is not connected, with jitter, in case
 * hints were lost, until the returned function is called.
 */
export function startSafetyPoll(
  { bus, safetyPollMs, random }: Pick<LogRuntime, "bus" | "safetyPollMs" | "random">,
  look: () => void,
): () => void {
  const shortMs = Math.min(DISCONNECTED_MS, safetyPollMs);
  let dueMs = safetyPollMs;
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
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
  wait();
  return () => clearTimeout(timer);
}
