/** A placeholder of `lines` lines, so that nothing jumps when they are loaded. */
export function Skeleton({
  lines = 6,
  label,
}: {
  readonly lines?: number;
  readonly label: string;
}) {
  return (
    <div role="status" aria-label={`Loading ${label}`} className="grid gap-3">
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} className="h-9 animate-pulse rounded-md bg-surface" />
      ))}
    </div>
  );
}
