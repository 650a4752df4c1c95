import { FetchFault, type Guard } from "@parley/guarded-fetch";
import { MAX_DELIVERY_ANSWER_BYTES } from "@parley/schema";
import { readRetryAfter } from "./retry-schedule.ts";

/** What a receiver has for its answer. */
const TIMEOUT_MS = 15_000;
/** Of an answer that is read: a receiver that sends more has been told, and answered. */
const MAX_READ_BYTES = 65_536;

/** How a receiver took a delivery. */
export interface Answered {
  readonly status?: number;
  /** Beginning of the body. */
  readonly body?: string;
  /** Why the delivery has failed; undefined if it succeeded. */
  readonly error?: string;
  readonly retryAfterMs?: number | undefined;
}

/**
 * Sends a delivery once: 2xx within 15 seconds is success, and anything else, a redirect too, is not. Rejects only with
 * the reason of the signal.
 */
export async function sendDelivery(
  guard: Guard,
  { url, body, headers }: { url: string; body: string; headers: Readonly<Record<string, string>> },
  signal: AbortSignal,
): Promise<Answered> {
  await using session = guard.open({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_READ_BYTES, signal });
  try {
    const response = await session.fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
    });
    const { status } = response;
    const kept = { status, body: await readBeginning(response) };
    if (response.ok) return kept;
    const isRedirect = status >= 300 && status < 400;
    return {
      ...kept,
      error: isRedirect
        ? `It answered ${status}: redirects are not followed`
        : `It answered ${status}`,
      retryAfterMs: readRetryAfter(response.headers.get("retry-after"), Date.now()),
    };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchFault) return { error: error.message };
    throw error;
  }
}

/** The beginning of a body; what breaks after the status matters to nobody. */
async function readBeginning(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= MAX_DELIVERY_ANSWER_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
  }
  const text = new TextDecoder().decode(
    Buffer.concat(chunks).subarray(0, MAX_DELIVERY_ANSWER_BYTES),
  );
  return text.replaceAll("\u0000", "");
}
