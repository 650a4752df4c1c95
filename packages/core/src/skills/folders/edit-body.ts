/** The Markdown of a SKILL.md, after the line that closes its front matter. */
interface Body {
  readonly closing: string;
  readonly body: string;
  /** The line end of new lines. */
  readonly eol: string;
}

/**
 * The body with other instructions. Lines at its beginning and end that stay the same keep their bytes, as does
 * the white space around it; line ends alone are not difference.
 */
export function editBody({ closing, body, eol }: Body, instructions: string): string {
  const before = linesOf(body.trim());
  const after = linesOf(instructions.trim());
  if (textOf(before) === textOf(after)) return body;
  const start = body.length - body.trimStart().length;
  const blank = body.slice(0, start) || eol;
  const lead = closing.endsWith("\n") ? blank : eol + blank;
  const tail = body.trim() === "" ? eol : body.slice(body.trimEnd().length);
  if (after.every(({ text }) => text === "")) return tail;
  const { length: count } = after;
  const same = (index: number, other: number) => before[index]?.text === after[other]?.text;
  let first = 0;
  while (first < Math.min(count, before.length) && same(first, first)) first++;
  let last = 0;
  const most = Math.min(count, before.length) - first;
  while (last < most && same(before.length - 1 - last, count - 1 - last)) last++;
  const lines = after.map(({ text }, index) => {
    if (index === count - 1) return text;
    const kept =
      index < first
        ? before[index]
        : index >= count - last
          ? before[before.length - count + index]
          : undefined;
    return text + (kept?.end || eol);
  });
  return lead + lines.join("") + tail;
}

interface Line {
  readonly text: string;
  readonly end: string;
}

function linesOf(text: string): Line[] {
  const parts = text.split(/(\r?\n)/);
  return parts.flatMap((part, index) =>
    index % 2 === 0 ? [{ text: part, end: parts[index + 1] ?? "" }] : [],
  );
}

function textOf(lines: readonly Line[]): string {
  return lines.map(({ text }) => text).join("\n");
}
