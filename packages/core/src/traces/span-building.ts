/** Spans as values: their ids, and times that stay within those of their parents. */
import { createHash } from "node:crypto";
import type { Span, SpanKind } from "@parley/schema";

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The id of a span, which depends on nothing that a crash could change. */
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

/** The times of a span within those of its parent: clocks of several processes dated them. */
export function within(
  parent: Pick<Span, "startedAt" | "endedAt">,
  { startedAt, endedAt }: Pick<Span, "startedAt" | "endedAt">,
): Pick<Span, "startedAt" | "endedAt"> {
  const last = parent.endedAt ?? Infinity;
  const start = Math.min(Math.max(startedAt, parent.startedAt), last);
  // What the end of its parent ended has ended too.
  const end = endedAt ?? parent.endedAt;
  return { startedAt: start, endedAt: end === null ? null : Math.min(Math.max(end, start), last) };
}

/** Spans in the order of their beginnings, parents first. */
export function inOrder(spans: readonly Span[]): Span[] {
  const byId = new Map(spans.map((span) => [span.id, span]));
  const depthOf = (span: Span): number => {
    const parent = span.parentId === null ? undefined : byId.get(span.parentId);
    return parent === undefined ? 0 : depthOf(parent) + 1;
  };
  return spans
    .map((span) => ({ span, depth: depthOf(span) }))
    .toSorted((a, b) => a.span.startedAt - b.span.startedAt || a.depth - b.depth)
    .map(({ span }) => span);
}
