import { structuredPatch } from "diff";

/** Lines around a difference that are shown with it. */
const CONTEXT_LINES = 3;
/** How long two texts are compared before they count as different altogether. */
const TIMEOUT_MS = 2000;

/** A line of one of two texts, or of both. */
export interface DiffLine {
  readonly kind: "same" | "added" | "removed";
  /** Its number in the old text, from 1; undefined where it is added. */
  readonly oldLine: number | undefined;
  readonly newLine: number | undefined;
  readonly text: string;
}

/** A part that differs, with the lines around its differences: each run of lines is a hunk. */
export interface PartDifference {
  readonly name: string;
  readonly hunks: readonly (readonly DiffLine[])[];
}

type Parts = ReadonlyMap<string, string>;

/** The parts that differ, by name; a part that one side lacks is empty there. */
export function differencesOf(before: Parts, after: Parts): PartDifference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => {
    const [old, now] = [before.get(name) ?? "", after.get(name) ?? ""];
    return old === now ? [] : [{ name, hunks: hunksOf(old, now) }];
  });
}

function hunksOf(old: string, now: string): DiffLine[][] {
  const options = { context: CONTEXT_LINES, timeout: TIMEOUT_MS };
  const patch = structuredPatch("", "", old, now, "", "", options);
  if (patch === undefined) return [[...linesOf(old, "removed"), ...linesOf(now, "added")]];
  return patch.hunks.map(({ oldStart, newStart, lines }) => {
    let [oldLine, newLine] = [oldStart, newStart];
    return lines.flatMap((line): DiffLine[] => {
      const text = line.slice(1);
      if (line.startsWith("+")) {
        return [{ kind: "added", oldLine: undefined, newLine: newLine++, text }];
      }
      if (line.startsWith("-")) {
        return [{ kind: "removed", oldLine: oldLine++, newLine: undefined, text }];
      }
      // The rest is about the line break at the end.
      if (!line.startsWith(" ")) return [];
      return [{ kind: "same", oldLine: oldLine++, newLine: newLine++, text }];
    });
  });
}

const linesOf = (text: string, kind: "added" | "removed"): DiffLine[] =>
  text.split("\n").map((line, index) => ({
    kind,
    oldLine: kind === "removed" ? index + 1 : undefined,
    newLine: kind === "added" ? index + 1 : undefined,
    text: line,
  }));
