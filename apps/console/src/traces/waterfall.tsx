import { type ReactNode, useEffect, useRef } from "react";
import { Button } from "../ui/button.tsx";
import { join } from "../ui/join.ts";
import { stateOf } from "../ui/states.ts";
import { formatDuration } from "../ui/time.tsx";
import { SpanBar } from "./span-bar.tsx";
import { SpanDetail } from "./span-detail.tsx";
import { endOf, isWait, type Span, type SpanRow } from "./spans.ts";
import { useWaterfall, type WaterfallState } from "./use-waterfall.ts";

interface WaterfallProps {
  readonly label: string;
  readonly spans: readonly Span[];
  /** When they were read: spans that go on last until then. */
  readonly now: number;
  /** What the details of a span have besides. */
  readonly extraOf?: ((span: Span) => ReactNode) | undefined;
}

/**
 * Spans as rows of a tree on a time axis, with the details of one beside them. It is a grid for screen readers, whose
 * rows say what the bars show.
 */
export function Waterfall({ label, spans, now, extraOf }: WaterfallProps) {
  const state = useWaterfall(spans, now);
  const { rows, range, opened } = state;
  const start = Math.min(...spans.map(({ startedAt }) => startedAt));
  return (
    <div className={join("grid gap-4", opened && "lg:grid-cols-[minmax(0,1fr)_22rem]")}>
      <div className="grid content-start gap-2">
        <Toolbar {...state} />
        <div className="hidden grid-cols-[minmax(0,15rem)_minmax(0,1fr)_6rem] gap-x-3 px-2 text-xs text-muted sm:grid">
          <span>Span</span>
          <span className="flex justify-between">
            {[0, 1 / 3, 2 / 3, 1].map((share) => (
              <span key={share}>
                {formatDuration(range.from - start + share * (range.to - range.from))}
              </span>
            ))}
          </span>
          <span className="text-right">Duration</span>
        </div>
        <div role="treegrid" aria-label={label} onKeyDown={state.onKey}>
          {rows.map((row) => (
            <Row key={row.span.id} row={row} state={state} start={start} now={now} />
          ))}
        </div>
      </div>
      {opened && <SpanDetail span={opened} now={now} extra={extraOf?.(opened)} />}
    </div>
  );
}

function Toolbar({ zoomIn, zoomOut, zoomToCurrent, fit }: WaterfallState) {
  return (
    <div role="group" aria-label="Zoom" className="flex flex-wrap gap-2">
      <Button isSmall aria-keyshortcuts="+" onClick={zoomIn}>
        Zoom in
      </Button>
      <Button isSmall aria-keyshortcuts="-" onClick={zoomOut}>
        Zoom out
      </Button>
      <Button isSmall aria-keyshortcuts="z" onClick={zoomToCurrent}>
        Zoom to span
      </Button>
      <Button isSmall aria-keyshortcuts="0" onClick={fit}>
        Show all
      </Button>
    </div>
  );
}

interface RowProps {
  readonly row: SpanRow;
  readonly state: WaterfallState;
  readonly start: number;
  readonly now: number;
}

/** Indents by level; there are no inline styles. */
const indents = ["", "pl-3", "pl-6", "pl-9", "pl-12", "pl-14", "pl-16"];

function Row({ row: { span, level, hasChildren }, state, start, now }: RowProps) {
  const element = useRef<HTMLDivElement>(null);
  const isCurrent = state.current?.id === span.id;
  // Only once the keyboard is in the tree does the focus follow it.
  useEffect(() => {
    const isInTree = element.current?.parentElement?.contains(document.activeElement) === true;
    if (isCurrent && isInTree) element.current?.focus();
  }, [isCurrent]);
  const isCollapsed = state.isCollapsed(span.id);
  const isOpened = state.opened?.id === span.id;
  const duration = formatDuration(endOf(span, now) - span.startedAt);
  return (
    <div
      ref={element}
      role="row"
      aria-level={level}
      aria-selected={isOpened}
      {...(hasChildren && { "aria-expanded": !isCollapsed })}
      tabIndex={isCurrent ? 0 : -1}
      onClick={() => state.open(span.id)}
      className={join(
        "grid cursor-pointer grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 rounded px-2 py-1 text-sm",
        "hover:bg-surface sm:grid-cols-[minmax(0,15rem)_minmax(0,1fr)_6rem]",
        isOpened && "bg-accent-soft",
      )}
    >
      <span
        role="gridcell"
        className={join("truncate", indents[Math.min(level, indents.length) - 1])}
      >
        <span aria-hidden="true" className="inline-block w-4 text-muted">
          {hasChildren && (isCollapsed ? "▸" : "▾")}
        </span>
        <span className={nameLook(span)}>{span.name}</span>
        {span.status !== "succeeded" && !isOpenWait(span) && (
          <span className={span.status === "errored" ? "text-bad" : "text-muted"}>
            {" "}
            · {stateOf(span.status).word.toLowerCase()}
          </span>
        )}
      </span>
      <span role="gridcell" className="order-last col-span-2 sm:order-none sm:col-span-1">
        <span className="sr-only">after {formatDuration(span.startedAt - start)}</span>
        <SpanBar span={span} range={state.range} now={now} />
      </span>
      <span role="gridcell" className="text-right tabular-nums">
        {duration}
      </span>
    </div>
  );
}

/** What somebody must do something about now is named by what it needs. */
const isOpenWait = (span: Span): boolean => span.kind === "wait" && span.endedAt === null;

function nameLook(span: Span): string | undefined {
  if (isOpenWait(span)) return "font-medium text-warn";
  return isWait(span) ? "text-muted" : undefined;
}
