import { structuredPatch } from "diff";

const MAX_LINES = 12;

/** The changed lines of a text, each after `-` or `+`; the first of many. */
export function diffLines(before: string, after: string): string[] {
  const { hunks } = structuredPatch("", "", `${before}\n`, `${after}\n`, "", "", { context: 0 });
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => /^[-+]/.test(line));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more lines`];
}

/** How a value became another, in a line each; nothing for what is too long to show. */
export function diffValues(before: unknown, after: unknown): string[] {
  if (typeof before === "string" && typeof after === "string") return diffLines(before, after);
  const [one, other] = [JSON.stringify(before), JSON.stringify(after)];
  if (one === undefined || other === undefined || one.length + other.length > 200) return [];
  return [`-${one}`, `+${other}`];
}

/** Which files are added, changed and gone. */
export function diffFiles<T>(
  before: Readonly<Record<string, T>>,
  after: Readonly<Record<string, T>>,
  isEqual: (one: T, other: T) => boolean,
): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const lines = names.flatMap((name) => {
    const [one, other] = [before[name], after[name]];
    if (one === undefined) return `+ ${name}`;
    if (other === undefined) return `- ${name}`;
    return isEqual(one, other) ? [] : `~ ${name}`;
  });
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more files`];
}
