import { endOf, isWait, type Range, shareOf, type Span } from "./spans.ts";

const fills: Readonly<Record<Span["kind"], string>> = {
  answer: "fill-control",
  invocation: "fill-control",
  attempt: "fill-control",
  compaction: "fill-accent",
  step: "fill-accent",
  call: "fill-good",
  queue: "fill-muted",
  wait: "fill-warn",
  backoff: "fill-muted",
};

const percent = (share: number): string => `${share * 100}%`;
/** Beyond these shares nothing is seen; browsers draw huge rectangles wrongly. */
const clamp = (share: number): number => Math.min(1.1, Math.max(-0.1, share));

interface SpanBarProps {
  readonly span: Span;
  readonly range: Range;
  readonly now: number;
}

/** A span on the time axis: waits are hatched, and of a model call the time to its first token is paler. */
export function SpanBar({ span, range, now }: SpanBarProps) {
  const start = clamp(shareOf(span.startedAt, range));
  const end = clamp(shareOf(endOf(span, now), range));
  const first = span.firstTokenMs;
  const token = first === undefined ? undefined : shareOf(span.startedAt + first, range);
  const fill = span.status === "errored" ? "fill-bad" : fills[span.kind];
  const hatch = `hatch-${span.id}`;
  const bar = { x: percent(start), y: 3, height: 10 };
  return (
    <svg aria-hidden="true" className="h-4 w-full overflow-hidden" data-kind={span.kind}>
      {isWait(span) && (
        <pattern
          id={hatch}
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="3" height="6" className={fill} />
        </pattern>
      )}
      <rect
        {...bar}
        rx="2"
        width={percent(Math.max(end - start, 0.002))}
        className={isWait(span) ? undefined : fill}
        {...(isWait(span) && { fill: `url(#${hatch})` })}
        opacity={token === undefined ? 1 : 0.4}
      />
      {token !== undefined && token < end && (
        <>
          <rect
            {...bar}
            x={percent(clamp(token))}
            width={percent(end - clamp(token))}
            className={fill}
          />
          <line
            x1={percent(token)}
            x2={percent(token)}
            y1="0"
            y2="16"
            strokeWidth="2"
            className="stroke-ink"
          />
        </>
      )}
    </svg>
  );
}
