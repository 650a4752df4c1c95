import type { Delivery } from "@parley/core";
import { FetchFault, type Guard } from "@parley/guarded-fetch";
import { WEBHOOK_VERSION } from "@parley/schema";
import { Webhook } from "standardwebhooks";
import { readRetryAfter } from "./retry-schedule.ts";

/** What a receiver has for its answer. */
const TIMEOUT_MS = 15_000;
/** Of an answer that is kept. */
const MAX_KEPT_BYTES = 4096;
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

/** The JSON of a delivery, the same in each of its attempts. */
export function renderPayload(workspaceId: string, delivery: Delivery): string {
  const { event: type, subject, content, createdAt } = delivery;
  const payload = {
    type,
    timestamp: new Date(createdAt).toISOString(),
    version: WEBHOOK_VERSION,
    data: {
      workspaceId,
      ...subject,
      // The log holds JSON of an object.
      ...(content !== null && { event: JSON.parse(content) as unknown }),
    },
  };
  return JSON.stringify(payload);
}

/** The headers of Standard Webhooks: one signature for each secret. */
export function signDelivery(
  id: string,
  body: string,
  { secrets, at }: { readonly secrets: readonly string[]; readonly at: Date },
): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(" "),
  };
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
      headers: {
        "content-type": "application/json",
        "user-agent": "Parley-Webhooks/1",
        ...headers,
      },
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
      if (bytes >= MAX_KEPT_BYTES) break;
    }
  } catch (error) {
    if (!(error instanceof FetchFault)) throw error;
  }
  const text = new TextDecoder().decode(Buffer.concat(chunks).subarray(0, MAX_KEPT_BYTES));
  return text.replaceAll("\u0000", "");
}
