import { useEffect, useState, useTransition } from "react";

/**
 * A value as it was at the last frame that was drawn: what changes many times between two frames is
 * rendered once, in slices that let the page answer meanwhile. It begins with `initial`.
 */
export function useFrame<T>(value: T, initial: T = value): T {
  const [shown, setShown] = useState(initial);
  const [isPending, startTransition] = useTransition();
  useEffect(() => {
    // One after the other: a rendering that is replaced by the next one never ends.
    if (isPending || value === shown) return undefined;
    // A hidden page draws no frames, and shows the last value when it is shown again.
    const frame = requestAnimationFrame(() => startTransition(() => setShown(value)));
    return () => cancelAnimationFrame(frame);
  }, [value, shown, isPending]);
  return shown;
}
