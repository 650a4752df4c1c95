interface Range {
  readonly start: number;
  readonly end: number;
}

/** A text with ranges that are marked; they ascend and do not overlap. */
export function Marked({
  text,
  ranges,
}: {
  readonly text: string;
  readonly ranges: readonly Range[];
}) {
  const parts = ranges.map(({ start, end }, index) => (
    <span key={start}>
      {text.slice(ranges[index - 1]?.end ?? 0, start)}
      <mark className="rounded-sm bg-accent-soft font-medium text-ink">
        {text.slice(start, end)}
      </mark>
    </span>
  ));
  return (
    <>
      {parts}
      {text.slice(ranges.at(-1)?.end ?? 0)}
    </>
  );
}
