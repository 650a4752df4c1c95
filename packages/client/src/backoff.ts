import { ParleyError } from "./errors.ts";
import { retryableTypes } from "./schema-tables.ts";

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8000;

/** Statuses of proxies and of starting servers after which a later request may succeed. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown): error is ParleyError {
  if (!(error instanceof ParleyError)) return false;
  if (error.type === "unexpected_response_format") return retryableStatuses.has(error.status ?? 0);
  return error.type === "connection_failed" || retryableTypes.includes(error.type);
}

/** Whether the request was refused before any work was done. */
export function isRefusedUnread({ type, status }: ParleyError): boolean {
  return type === "rate_limit_error" && status === 429;
}

/**
 * How long to wait before the next attempt: `Retry-After`, and a random time whose bound doubles with
 * each failure, so that clients do not come back together.
 */
export function delayBefore(
  failures: number,
  { retryAfterMs = 0 }: { readonly retryAfterMs?: number | undefined },
  random: () => number = Math.random,
): number {
  const most = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 10));
  return retryAfterMs + random() * most;
}

/** Waits. Rejects with the signal's reason when it aborts. */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
