import type { LogRuntime } from "../log/log-runtime.ts";
import { startSafetyPoll } from "../log/safety-poll.ts";

/** The least time between two looks for deliveries, whatever happens in the meantime. */
const MIN_LOOK_MS = 100;

/** Lets requests wait until there may be deliveries to take: of each webhook one at a time. */
export interface DeliveryReaders {
  /**
   * Calls `look` at once and when there may be new deliveries, until it gives some. Gives the last look's also at the
   * timeout, when the signal aborts, and when another request begins to wait for the same webhook.
   */
  wait<T>(
    webhookId: number,
    look: () => Promise<readonly T[]>,
    options: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ): Promise<readonly T[]>;
}

/** What takes deliveries. */
export interface DeliveryReaderServices {
  readonly deliveryReaders: DeliveryReaders;
}

/** Creates the readers of a process. They hold no connection to the database while they wait. */
export function createDeliveryReaders(
  runtime: Pick<LogRuntime, "bus" | "safetyPollMs" | "random">,
): DeliveryReaders {
  const waiting = new Map<number, AbortController>();
  return {
    wait: async (webhookId, look, { timeoutMs, signal }) => {
      waiting.get(webhookId)?.abort();
      const replaced = new AbortController();
      waiting.set(webhookId, replaced);
      using waker = createWaker(runtime);
      const over = AbortSignal.any([signal, replaced.signal, AbortSignal.timeout(timeoutMs)]);
      over.addEventListener("abort", waker.wake);
      try {
        for (;;) {
          const woken = waker.next();
          const found = await look();
          if (found.length > 0 || over.aborted) return found;
          await woken;
        }
      } finally {
        if (waiting.get(webhookId) === replaced) waiting.delete(webhookId);
      }
    },
  };
}

interface Waker extends Disposable {
  /** Resolves when it is woken from now on, and not too soon. */
  next(): Promise<void>;
  readonly wake: () => void;
}

function createWaker(runtime: Pick<LogRuntime, "bus" | "safetyPollMs" | "random">): Waker {
  let { promise, resolve } = Promise.withResolvers<void>();
  let timer: NodeJS.Timeout | undefined;
  const wake = (): void => resolve();
  const wakeSoon = (): void => {
    timer ??= setTimeout(() => {
      timer = undefined;
      wake();
    }, MIN_LOOK_MS);
  };
  const unsubscribe = runtime.bus.subscribe("runs", (hint) => {
    if (hint.cause === "added" && hint.kind === "delivery") wakeSoon();
  });
  const stopPoll = startSafetyPoll(runtime, wake);
  return {
    wake,
    next: () => {
      ({ promise, resolve } = Promise.withResolvers<void>());
      return promise;
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      unsubscribe();
      stopPoll();
    },
  };
}
