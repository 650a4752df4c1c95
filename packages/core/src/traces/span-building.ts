/** Spans as values: times that stay within those of their parents, and their order. */
import type { Span } from "@parley/schema";

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
