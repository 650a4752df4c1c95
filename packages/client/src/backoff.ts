import { ParleyError } from "./errors.ts";

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 8000;

/** Types of the error table whose request may succeed when it is sent again. */
export const retryableTypes: ReadonlySet<string> = new Set([
  "rate_limit_error",
  "service_unavailable",
  "idempotency_key_in_use",
]);

/** What proxies answer, and servers before they say why, when a later request may succeed. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/** Whether the same request may succeed later. */
export function isRetryable(error: unknown): error is ParleyError {
  if (!(error instanceof ParleyError)) return false;
  if (error.type === "unexpected_response_format") return retryableStatuses.has(error.status ?? 0);
  return error.type === "connection_failed" || retryableTypes.has(error.type);
}

/** Whether the request was refused before anything of it was done. */
export function isRefusedUnread({ type, status }: ParleyError): boolean {
  return type === "rate_limit_error" && status === 429;
}

/**
 * How long to wait before the next of several attempts: what the server asked for, and a random time
 * beyond it that doubles with each failure, so that clients do not come back together.
 */
export function delayBefore(
  failures: number,
  { retryAfterMs = 0 }: { readonly retryAfterMs?: number | undefined },
  random: () => number = Math.random,
): number {
  const most = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 10));
  return retryAfterMs + random() * most;
}

/** Waits; rejects with the signal's reason when it aborts meanwhile. */
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
