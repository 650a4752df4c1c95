import { FetchFault, type Guard } from "@parley/guarded-fetch";
import { readRetryAfter } from "../webhooks/retry-schedule.ts";
import type { EncodableSpan, SpanEncoder } from "./encode-spans.ts";

/** What a destination has for its answer. */
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;
const MAX_MESSAGE = 500;

/** Where a request goes. */
export interface SpanTarget {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How a destination took spans. */
export interface Sent {
  readonly status: number | null;
  readonly accepted: number;
  /** Spans that it refused for good. */
  readonly rejected: number;
  /** Why they are to be sent again, or which of them it refused; null if it accepted all. */
  readonly error: string | null;
  /** Whether they are to be sent again. */
  readonly isRetryable: boolean;
  readonly retryAfterMs?: number | undefined;
}

interface Answer {
  readonly status: number;
  readonly body: Uint8Array;
  readonly retryAfterMs: number | undefined;
}

interface Sending {
  readonly guard: Guard;
  readonly target: SpanTarget;
  readonly encoder: SpanEncoder;
}

/**
 * Sends spans once. What the request itself is refused for (400, and 413 once there is nothing to divide) would be refused
 * again, and is given up; everything else is to be sent again, as are wrong keys and paths, which somebody corrects.
 * Rejects only with the reason of the signal.
 */
export async function sendSpans(
  sending: Sending,
  spans: readonly EncodableSpan[],
  signal: AbortSignal,
): Promise<Sent> {
  const answer = await post(sending, spans, signal);
  if ("fault" in answer) {
    return { status: null, accepted: 0, rejected: 0, error: answer.fault, isRetryable: true };
  }
  const { status, body, retryAfterMs } = answer;
  if (status >= 200 && status < 300) {
    const refused = sending.encoder.readRefused(body);
    const rejected = Math.min(refused.spans, spans.length);
    const error =
      rejected === 0 ? null : `It refused ${rejected} spans: ${shorten(refused.message)}`;
    return { status, accepted: spans.length - rejected, rejected, error, isRetryable: false };
  }
  if (status === 413 && spans.length > 1) return sendHalves(sending, spans, signal);
  const error = `It answered ${status}`;
  const isRetryable = status !== 400 && status !== 413;
  const rejected = isRetryable ? 0 : spans.length;
  return { status, accepted: 0, rejected, error, isRetryable, retryAfterMs };
}

async function sendHalves(
  sending: Sending,
  spans: readonly EncodableSpan[],
  signal: AbortSignal,
): Promise<Sent> {
  const middle = Math.ceil(spans.length / 2);
  const first = await sendSpans(sending, spans.slice(0, middle), signal);
  if (first.isRetryable) return first;
  const second = await sendSpans(sending, spans.slice(middle), signal);
  return {
    ...second,
    accepted: first.accepted + second.accepted,
    rejected: first.rejected + second.rejected,
    error: second.error ?? first.error,
  };
}

async function post(
  { guard, target, encoder }: Sending,
  spans: readonly EncodableSpan[],
  signal: AbortSignal,
): Promise<Answer | { readonly fault: string }> {
  await using session = guard.open({ timeoutMs: TIMEOUT_MS, maxBytes: MAX_ANSWER_BYTES, signal });
  try {
    const response = await session.fetch(target.url, {
      method: "POST",
      headers: {
        ...target.headers,
        "content-type": encoder.contentType,
        "user-agent": "Parley-Traces/1",
      },
      secretHeaders: Object.keys(target.headers),
      body: encoder.encode(spans),
      redirect: "manual",
    });
    const { status } = response;
    const retryAfterMs = readRetryAfter(response.headers.get("retry-after"), Date.now());
    const body = new Uint8Array(await response.arrayBuffer());
    return { status, body, retryAfterMs };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FetchFault) return { fault: error.message };
    throw error;
  }
}

const shorten = (message: string): string =>
  message.replaceAll("\u0000", "").slice(0, MAX_MESSAGE).toWellFormed();
