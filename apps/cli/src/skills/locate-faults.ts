import { type Place, readYamlText } from "../grammar/yaml-text.ts";
import type { OpenedSkills } from "./open-skills.ts";

/** What is wrong with a file of a skill, and where. */
interface SkillFault extends Place {
  readonly file: string;
  readonly message: string;
}

/** The faults of a message, each with its place: members of the front matter have their own. */
export function locateFaults(
  files: OpenedSkills["files"],
  file: string,
  message: string,
): SkillFault[] {
  const found = files.find(({ path }) => path === file);
  const lines = new TextDecoder().decode(found?.content).split(/\r?\n/);
  const said = /^front matter: ([^]*)$/.exec(message)?.[1];
  if (said === undefined) return [{ file, line: 1, column: 1, message }];
  const end = lines.indexOf("---", 1);
  return said.split(/; (?=[\w-]+(?:[.[][^:]*)?: )/).map((one) => {
    const member = /^[\w-]+/.exec(one)?.[0] ?? "";
    const at = lines.findIndex((line, index) => index < end && line.startsWith(`${member}:`));
    const place = at === -1 ? faultyPlace(lines.slice(1, end).join("\n")) : { line: at, column: 1 };
    // Lines are counted from the one that opens the front matter.
    return { file, ...place, line: place.line + 1, message: `front matter: ${one}` };
  });
}

/** Where a text is not YAML; the line before it if it is. */
function faultyPlace(yaml: string): Place {
  const read = readYamlText(yaml);
  const [fault] = "faults" in read ? read.faults : [];
  return fault === undefined ? { line: 0, column: 1 } : { line: fault.line, column: fault.column };
}
