import { readableUsage } from "./readable-usage.ts";

/** Bytes of a response, frames included; a longer one is aborted. */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** Bytes of an error response. */
const MAX_ERROR_BYTES = 256 * 1024;

/**
 * Creates a fetch with a bound on the response, so that none can fill the memory. Redirects are refused: they
 * would send the credential elsewhere. In streams, unreadable counts of tokens become 0, which is told.
 */
export const createBoundedFetch =
  (onUnreadableUsage: () => void): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "error" });
    if (response.body === null) return response;
    let left = response.ok ? MAX_RESPONSE_BYTES : MAX_ERROR_BYTES;
    const bounded = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          left -= chunk.byteLength;
          if (left < 0) controller.error(new Error("The provider's answer is too long"));
          else controller.enqueue(chunk);
        },
      }),
    );
    const { status, statusText, headers } = response;
    const isStream = headers.get("content-type")?.includes("text/event-stream") === true;
    const body = isStream ? bounded.pipeThrough(readableUsage(onUnreadableUsage)) : bounded;
    return new Response(body, { status, statusText, headers });
  };
