import { type KeyboardEvent, useState } from "react";
import {
  type Range,
  reveal,
  rowsOf,
  type Span,
  type SpanRow,
  wholeOf,
  zoom,
  zoomTo,
} from "./spans.ts";

const NEARER = 0.25;
const FARTHER = 4;

/** What a waterfall shows, and what changes it. */
export interface WaterfallState {
  readonly rows: readonly SpanRow[];
  readonly range: Range;
  /** The row that the keyboard is at. */
  readonly current: Span | undefined;
  /** The span whose details are shown. */
  readonly opened: Span | undefined;
  readonly isCollapsed: (id: string) => boolean;
  readonly open: (id: string) => void;
  readonly zoomIn: () => void;
  readonly zoomOut: () => void;
  readonly zoomToCurrent: () => void;
  readonly fit: () => void;
  /** The keys of the tree; true if it has taken one. */
  readonly onKey: (event: KeyboardEvent) => void;
}

/** Keeps where a reader is in the spans of a trace: which row, which details, and how near. */
export function useWaterfall(spans: readonly Span[], now: number): WaterfallState {
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(new Set());
  const [currentId, setCurrentId] = useState<string>();
  const [openedId, setOpenedId] = useState<string>();
  // Undefined for all of the time, which grows.
  const [near, setNear] = useState<Range>();
  const whole = wholeOf(spans, now);
  const range = near ?? whole;
  const rows = rowsOf(spans, collapsed);
  const index = Math.max(
    0,
    rows.findIndex(({ span }) => span.id === currentId),
  );
  const row = rows[index];
  const current = row?.span;
  const goTo = (span: Span | undefined) => {
    if (span === undefined) return;
    setCurrentId(span.id);
    if (near !== undefined) setNear(reveal(near, span, { whole, now }));
  };
  const toggle = (id: string, isClosed: boolean) =>
    setCollapsed(
      (before) => new Set([...before].filter((one) => one !== id).concat(isClosed ? id : [])),
    );
  const open = (id: string) => {
    setCurrentId(id);
    setOpenedId(openedId === id ? undefined : id);
  };
  const zoomBy = (factor: number) => {
    const next = zoom(range, factor, { at: current?.startedAt ?? range.from, whole });
    setNear(next.to - next.from >= whole.to - whole.from ? undefined : next);
  };
  const openCurrent = () => {
    if (current !== undefined) open(current.id);
  };
  const zoomToCurrent = () => {
    if (current !== undefined) setNear(zoomTo(current, { whole, now }));
  };
  const isClosed = current !== undefined && collapsed.has(current.id);
  const actions: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(rows[index + 1]?.span),
    ArrowUp: () => goTo(rows[index - 1]?.span),
    Home: () => goTo(rows[0]?.span),
    End: () => goTo(rows.at(-1)?.span),
    ArrowRight: () => {
      if (row?.hasChildren !== true) return;
      if (isClosed) toggle(row.span.id, false);
      else goTo(rows[index + 1]?.span);
    },
    ArrowLeft: () => {
      if (row?.hasChildren === true && !isClosed) toggle(row.span.id, true);
      else goTo(spans.find(({ id }) => id === current?.parentId));
    },
    Enter: openCurrent,
    " ": openCurrent,
    "+": () => zoomBy(NEARER),
    "=": () => zoomBy(NEARER),
    "-": () => zoomBy(FARTHER),
    "0": () => setNear(undefined),
    z: zoomToCurrent,
  };
  return {
    rows,
    range,
    current,
    opened: spans.find(({ id }) => id === openedId),
    isCollapsed: (id) => collapsed.has(id),
    open,
    zoomIn: () => zoomBy(NEARER),
    zoomOut: () => zoomBy(FARTHER),
    zoomToCurrent,
    fit: () => setNear(undefined),
    onKey: (event) => {
      const action = actions[event.key];
      if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      action();
    },
  };
}
