import type { Core } from "@parley/core";
import { ParleyError } from "@parley/schema";
import type { Settings } from "../config.ts";

/** A bundler takes most of a processor for a moment, and memory. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 20;
const RETRY_AFTER_SECONDS = 5;

/**
 * What bundles the code of functions: two programs at once, while others wait in their order. Its own code is
 * loaded when it is first used. Throws `rate_limit_error` where too many wait.
 */
export function createBundleCode({
  PARLEY_SANDBOX_MAX_SOURCE_BYTES: maxSourceBytes,
  PARLEY_SANDBOX_MAX_BUNDLE_BYTES: maxBundleBytes,
}: Pick<
  Settings,
  "PARLEY_SANDBOX_MAX_SOURCE_BYTES" | "PARLEY_SANDBOX_MAX_BUNDLE_BYTES"
>): Core["bundleCode"] {
  let running = 0;
  const waiting: (() => void)[] = [];
  const enter = async (signal: AbortSignal): Promise<void> => {
    if (running < MAX_AT_ONCE) {
      running++;
      return;
    }
    if (waiting.length >= MAX_WAITING) {
      const message = "program.source: the server bundles too much code: try again";
      throw new ParleyError("rate_limit_error", message, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal.reason as Error);
      };
      const start = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      waiting.push(start);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  };
  return async (files, { signal }) => {
    signal.throwIfAborted();
    const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > maxSourceBytes) {
      const message = `the operator allows at most ${maxSourceBytes} bytes of source`;
      return { faults: [{ file: "", line: 0, column: 0, message, sourceLine: "" }] };
    }
    await enter(signal);
    try {
      const { bundleProgram } = await import("@parley/sandbox");
      return await bundleProgram(files, { maxBundleBytes });
    } finally {
      // Whoever starts takes the place.
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
