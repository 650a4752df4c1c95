import type { Core } from "@parley/core";
import { createFairPlaces } from "@parley/fair-queue";
import { ParleyError } from "@parley/schema";
import type { Settings } from "../config.ts";

/** A bundler takes most of a processor for a moment, and memory. */
const MAX_AT_ONCE = 2;
/** Programs of a workspace that wait; connections bound those of all together. */
const MAX_WAITING = 20;
const RETRY_AFTER_SECONDS = 5;

/**
 * What bundles the code of functions: two programs at once, one of each workspace, while others wait. Workspaces
 * take turns. Its own code is loaded when it is first used. Throws `rate_limit_error` if too many programs of
 * the workspace wait.
 */
export function createBundleCode({
  PARLEY_SANDBOX_MAX_SOURCE_BYTES: maxSourceBytes,
  PARLEY_SANDBOX_MAX_BUNDLE_BYTES: maxBundleBytes,
}: Pick<
  Settings,
  "PARLEY_SANDBOX_MAX_SOURCE_BYTES" | "PARLEY_SANDBOX_MAX_BUNDLE_BYTES"
>): Core["bundleCode"] {
  const places = createFairPlaces(MAX_AT_ONCE);
  return async (files, { workspaceId, signal }) => {
    signal.throwIfAborted();
    const bytes = Object.values(files).reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > maxSourceBytes) {
      const message = `the operator allows at most ${maxSourceBytes} bytes of source`;
      return { faults: [{ file: "", line: 0, column: 0, message, sourceLine: "" }] };
    }
    if (places.waiting(workspaceId) >= MAX_WAITING) {
      const message = "program.source: the workspace bundles too much code at once: try again";
      throw new ParleyError("rate_limit_error", message, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
    const leave = await places.enter(workspaceId, signal);
    try {
      const { bundleProgram } = await import("@parley/sandbox");
      return await bundleProgram(files, { maxBundleBytes });
    } finally {
      leave();
    }
  };
}
