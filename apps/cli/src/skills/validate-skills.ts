import { CommandError } from "@parley/command/command-error";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import { parseSkillFolders, readYaml } from "@parley/core/skill-folders";
import { describePlace } from "../grammar/yaml-text.ts";
import { locateFaults } from "./locate-faults.ts";
import { openSkills } from "./open-skills.ts";
import type { Context } from "../connection/context.ts";

/** Checks skills by the server's rules, without a server. Throws `CommandError` if they have faults. */
export async function validateSkills(
  context: Context,
  given: string,
  { json }: { readonly json?: true },
): Promise<void> {
  const { io } = context;
  const { files, leftOut } = await openSkills(io, given);
  const uploaded = files.map(({ path, content }) => ({ path, bytes: content }));
  const { skills, issues } = await parseSkillFolders(uploaded, async (text) => readYaml(text));
  const faults = issues.flatMap(({ path, message }) => locateFaults(files, path, message));
  if (json) {
    const valid = skills.map(({ name, filePath }) => ({ name, filePath }));
    printLine(io, JSON.stringify({ skills: valid, faults }));
  } else {
    for (const { name } of skills) printLine(io, `valid: ${name}`);
    for (const { file, message, ...place } of faults) {
      printLine(io, oneLine(`${describePlace(file, place)}: ${message}`));
    }
    for (const name of leftOut) reportLine(io, `left out: ${oneLine(name)}`);
  }
  if (faults.length === 0) return;
  const count = faults.length === 1 ? "1 error" : `${faults.length} errors`;
  throw new CommandError(`The skills have ${count}; none of them would be imported`);
}
