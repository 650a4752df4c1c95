import { diffLines } from "diff";

/** How long two texts may be compared, of which one was rewritten and is long. */
const MAX_MS = 1000;
/** Lines that are shown around a difference. */
const AROUND = 3;

/** A line of one text or of both, with its number in each, or several lines that are left out. */
export type DifferenceRow =
  | {
      readonly kind: "same" | "removed" | "added";
      readonly before: number | undefined;
      readonly after: number | undefined;
      readonly text: string;
    }
  | { readonly kind: "skipped"; readonly count: number };

/** The lines of two texts in order; those far from a difference are left out. Without a difference, there are none. */
export function differenceRows(before: string, after: string): readonly DifferenceRow[] {
  if (before === after) return [];
  const changes = diffLines(before, after, { timeout: MAX_MS }) ?? [
    { value: before, removed: true, added: false },
    { value: after, removed: false, added: true },
  ];
  let [numberBefore, numberAfter] = [0, 0];
  return changes.flatMap(({ value, removed, added }, index): DifferenceRow[] => {
    const kind = removed ? "removed" : added ? "added" : "same";
    const lines = linesOf(value).map((text) => ({
      kind,
      before: added ? undefined : ++numberBefore,
      after: removed ? undefined : ++numberAfter,
      text,
    })) satisfies DifferenceRow[];
    if (kind !== "same") return lines;
    const head = index === 0 ? 0 : AROUND;
    const tail = index === changes.length - 1 ? 0 : AROUND;
    const count = lines.length - head - tail;
    if (count <= 1) return lines;
    return [...lines.slice(0, head), { kind: "skipped", count }, ...lines.slice(head + count)];
  });
}

function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
