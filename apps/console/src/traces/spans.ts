import type { Output } from "parley-client";

export type Trace = Output<"runs.getTrace">["trace"];
export type Span = Trace["spans"][number];

/** A span in the tree, as a row shows it. */
export interface SpanRow {
  readonly span: Span;
  /** From 1, for a root. */
  readonly level: number;
  readonly hasChildren: boolean;
}

/** The rows of a tree, each after its parent, without those below a collapsed one. */
export function rowsOf(spans: readonly Span[], collapsed: ReadonlySet<string>): SpanRow[] {
  const children = Map.groupBy(spans, ({ parentId }) => parentId);
  const below = (parentId: string | null, level: number): SpanRow[] =>
    (children.get(parentId) ?? []).flatMap((span) => {
      const row = { span, level, hasChildren: children.has(span.id) };
      return [row, ...(collapsed.has(span.id) ? [] : below(span.id, level + 1))];
    });
  return below(null, 1);
}

/** When a span ended; one that goes on ends now. */
export const endOf = ({ startedAt, endedAt }: Span, now: number): number =>
  endedAt ?? Math.max(now, startedAt);

/** Whether nothing was done in it. */
export const isWait = ({ kind }: Span): boolean =>
  kind === "queue" || kind === "wait" || kind === "backoff";

/** Output tokens a second of a step after its first token; undefined if that is not known. */
export function tokensPerSecond({ tokens, firstTokenMs, startedAt, endedAt }: Span) {
  if (tokens === undefined || firstTokenMs === undefined || endedAt === null) return undefined;
  const ms = endedAt - startedAt - firstTokenMs;
  return ms <= 0 || tokens.outputTokens === 0 ? undefined : (tokens.outputTokens / ms) * 1000;
}

/** A part of the time, in milliseconds since the epoch. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** All of the time of a trace. */
export function wholeOf(spans: readonly Span[], now: number): Range {
  const from = Math.min(...spans.map(({ startedAt }) => startedAt));
  const to = Math.max(...spans.map((span) => endOf(span, now)));
  return { from, to: Math.max(to, from + 1) };
}

/** The shortest time that is shown. */
const MIN_RANGE_MS = 4;

/** A range with a factor of its length around an instant, within the whole; below 1, it is nearer. */
export function zoom(range: Range, factor: number, { at, whole }: { at: number; whole: Range }) {
  const length = Math.min(
    Math.max((range.to - range.from) * factor, MIN_RANGE_MS),
    whole.to - whole.from,
  );
  const from = Math.min(Math.max(at - length / 2, whole.from), whole.to - length);
  return { from, to: from + length };
}

/** A range that a span fills, with a margin. */
export function zoomTo(span: Span, { whole, now }: { whole: Range; now: number }): Range {
  const end = endOf(span, now);
  const at = (span.startedAt + end) / 2;
  return zoom({ from: span.startedAt, to: end }, 1.1, { at, whole });
}

/** The same range, moved if a span would not be seen in it. */
export function reveal(range: Range, span: Span, { whole, now }: { whole: Range; now: number }) {
  const isSeen = span.startedAt <= range.to && endOf(span, now) >= range.from;
  return isSeen ? range : zoom(range, 1, { at: span.startedAt, whole });
}

/** Where an instant is in a range, as a share of it: below 0 and above 1 outside. */
export const shareOf = (at: number, { from, to }: Range): number => (at - from) / (to - from);
