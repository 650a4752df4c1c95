import { useEffect, useState, useTransition } from "react";

/**
 * A value as of the last drawn frame: several changes between two frames are rendered once, in slices that keep
 * the page responsive. It starts with `initial`.
 */
export function useFrame<T>(value: T, initial: T = value): T {
  const [shown, setShown] = useState(initial);
  const [isPending, startTransition] = useTransition();
  useEffect(() => {
    // One after the other: a render that is replaced by the next one would never finish.
    if (isPending || value === shown) return undefined;
    // A hidden page draws no frames, and shows the last value when it is shown again.
    const frame = requestAnimationFrame(() => startTransition(() => setShown(value)));
    return () => cancelAnimationFrame(frame);
  }, [value, shown, isPending]);
  return shown;
}
