import { editBody } from "./edit-body.ts";
import { splitSkillFile } from "./split-skill-file.ts";
import { patchYaml, readYaml } from "./yaml.ts";

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
