import { structuredPatch } from "diff";

const MAX_LINES = 60;

/** The lines in which the JSON of two values differs, after `-` and `+`, with those around them; members are sorted. */
export function diffJson(expected: unknown, actual: unknown): string[] {
  const { hunks } = structuredPatch("", "", render(expected), render(actual), "", "", {
    context: 3,
  });
  const lines = hunks.flatMap((hunk) => hunk.lines).filter((line) => !line.startsWith("\\"));
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES), `… and ${lines.length - MAX_LINES} more lines`];
}

const render = (value: unknown): string => `${JSON.stringify(sort(value), null, 2)}\n`;

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sort(member)]));
}
