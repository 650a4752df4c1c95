import { splitSkillFile } from "./split-skill-file.ts";
import { patchYaml, readYaml } from "./yaml.ts";

/** The Markdown of a SKILL.md, after the line that closes its front matter. */
interface Body {
  readonly closing: string;
  readonly body: string;
  /** The line end of new lines. */
  readonly eol: string;
}

/**
 * The body with other instructions. Lines at its beginning and end that stay the same keep their bytes, as does
 * the white space around it; other line ends alone make no difference.
 */
function editBody({ closing, body, eol }: Body, instructions: string): string {
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

/** A SKILL.md, and what it shall say. */
export interface SkillFileEdit {
  readonly text: string;
  readonly name: string;
  readonly description: string;
  readonly instructions: string;
}

/**
 * A SKILL.md that says these texts: what says them already stays byte for byte. Undefined if its front matter
 * cannot be changed in place.
 */
export function editSkillFile({
  text,
  name,
  description,
  instructions,
}: SkillFileEdit): string | undefined {
  const parts = splitSkillFile(text);
  if ("fault" in parts) return undefined;
  const read = readYaml(parts.yaml);
  if ("fault" in read) return undefined;
  const said = read.value as Readonly<Record<string, unknown>>;
  const values = {
    ...(said["name"] !== name && { name }),
    ...(String(said["description"]).trim() !== description.trim() && { description }),
  };
  const isSaid = Object.keys(values).length === 0;
  const yaml = isSaid ? parts.yaml : patchYaml({ source: parts.yaml, values });
  if (yaml === undefined) return undefined;
  const { opening, closing } = parts;
  const eol = opening.endsWith("\r\n") ? "\r\n" : "\n";
  const edited = opening + yaml + closing + editBody({ ...parts, eol }, instructions);
  // A longer front matter may be more than can be read.
  return "fault" in splitSkillFile(edited) ? undefined : edited;
}
