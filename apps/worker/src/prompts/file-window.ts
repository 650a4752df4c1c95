/** A file that a model could be given as it is. */
interface Candidate {
  readonly sizeBytes: number;
  readonly kind: string;
  /** Files of the kind in one request at most. */
  readonly maxCount: number;
  /** Of a PDF; 0 of others. */
  readonly pages: number;
  /** Pages of the kind in one request at most; null without a limit. */
  readonly maxPages: number | null;
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
  const totals = new Map<string, { count: number; pages: number }>();
  let bytes = 0;
  for (const { kind, sizeBytes, pages } of window) {
    const total = totals.getOrInsertComputed(kind, () => ({ count: 0, pages: 0 }));
    total.count++;
    total.pages += pages;
    bytes += sizeBytes;
  }
  const isWithin = ({ kind, maxCount, maxPages }: Candidate): boolean => {
    const { count, pages } = totals.get(kind)!;
    return count <= maxCount / share && pages <= (maxPages ?? Infinity) / share;
  };
  return bytes <= maxBytes / share && window.every(isWithin);
}
