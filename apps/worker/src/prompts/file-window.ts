/** A file that a model could be given as it is. */
interface Candidate {
  readonly sizeBytes: number;
  readonly kind: string;
  /** Files of the kind in one request at most. */
  readonly maxCount: number;
}

/** What the files that follow the window's have left of it, when it is cut. */
const KEPT_SHARE = 2;

/**
 * The newest files, which are sent; the others are named. A window that is full is cut to its newest half, so that
 * it begins at the same file for many turns and the beginning of the prompt stays as it is. Files are given by age,
 * the oldest first; the newest is always sent.
 */
export function newestFiles<T extends Candidate>(files: readonly T[], maxBytes: number): T[] {
  let window: T[] = [];
  for (const file of files) {
    window.push(file);
    if (fits(window, maxBytes, 1)) continue;
    while (window.length > 1 && !fits(window, maxBytes, KEPT_SHARE)) window = window.slice(1);
  }
  return window;
}

function fits(window: readonly Candidate[], maxBytes: number, share: number): boolean {
  const counts = new Map<string, number>();
  let bytes = 0;
  for (const { kind, sizeBytes } of window) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    bytes += sizeBytes;
  }
  return (
    bytes <= maxBytes / share &&
    window.every(({ kind, maxCount }) => counts.get(kind)! <= maxCount / share)
  );
}
