/** The ids that the trace of a run has, which depend on nothing that a crash could change. */
import { createHash } from "node:crypto";
import type { SpanKind } from "@parley/schema";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The id of a span. */
export function spanId(
  runId: string,
  kind: SpanKind,
  { attempt = 0, key = 0 }: { readonly attempt?: number; readonly key?: string | number } = {},
): string {
  return sha256(`${runId} ${kind} ${attempt} ${key}`).slice(0, 16);
}

const VALID = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/;
const isZero = (digits: string): boolean => /^0+$/.test(digits);

/** The trace of a run: that of the request which created it, else one of its own. */
export function traceOf(
  runId: string,
  traceparent: string | null,
): { readonly traceId: string; readonly parentSpanId: string | null } {
  const [, traceId = "0", parentSpanId = "0"] = VALID.exec(traceparent ?? "") ?? [];
  if (isZero(traceId) || isZero(parentSpanId)) {
    return { traceId: sha256(runId).slice(0, 32), parentSpanId: null };
  }
  return { traceId, parentSpanId };
}

/** The W3C `traceparent` of what is asked within a span of a run: the span that its trace will have. */
export function traceparentOf(
  { logId, traceparent }: { readonly logId: string; readonly traceparent: string | null },
  kind: SpanKind,
  part?: Parameters<typeof spanId>[2],
): string {
  const { traceId } = traceOf(logId, traceparent);
  const flags = traceparent?.split("-")[3] ?? "01";
  return `00-${traceId}-${spanId(logId, kind, part)}-${flags}`;
}
