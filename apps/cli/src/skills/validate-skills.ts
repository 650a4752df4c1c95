import { CommandError } from "@parley/command/command-error";
import { oneLine, printLine, reportLine } from "@parley/command/print";
import { parseSkillFolders, readYaml } from "@parley/core/skill-folders";
import { parseDocument } from "yaml";
import { openSkills, type OpenedSkills } from "./open-skills.ts";
import type { Context } from "../connection/context.ts";

interface SkillFault {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

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
  const faults = issues.flatMap(({ path, message }) => locate(files, path, message));
  if (json) {
    const valid = skills.map(({ name, filePath }) => ({ name, filePath }));
    printLine(io, JSON.stringify({ skills: valid, faults }));
  } else {
    for (const { name } of skills) printLine(io, `valid: ${name}`);
    for (const { file, line, message } of faults) {
      printLine(io, oneLine(`${file}:${line}: ${message}`));
    }
    for (const name of leftOut) reportLine(io, `left out: ${oneLine(name)}`);
  }
  if (faults.length === 0) return;
  const count = faults.length === 1 ? "1 error" : `${faults.length} errors`;
  throw new CommandError(`The skills have ${count}; none of them would be imported`);
}

/** The faults of a message, each with its line: members of the front matter have their own. */
function locate(files: OpenedSkills["files"], file: string, message: string): SkillFault[] {
  const found = files.find(({ path }) => path === file);
  const lines = new TextDecoder().decode(found?.content).split(/\r?\n/);
  const said = /^front matter: ([^]*)$/.exec(message)?.[1];
  if (said === undefined) return [{ file, line: 1, message }];
  const end = lines.indexOf("---", 1);
  return said.split(/; (?=[\w-]+(?:[.[][^:]*)?: )/).map((one) => {
    const member = /^[\w-]+/.exec(one)?.[0] ?? "";
    const at = lines.findIndex((line, index) => index < end && line.startsWith(`${member}:`));
    // Lines are counted from the one that opens the front matter.
    const line = at === -1 ? faultyLine(lines.slice(1, end).join("\n")) : at;
    return { file, line: line + 1, message: `front matter: ${one}` };
  });
}

/** The first line that is not YAML, from 1; 0 if all are. */
function faultyLine(yaml: string): number {
  const [error] = parseDocument(yaml, { schema: "core" }).errors;
  return error?.linePos?.[0].line ?? 0;
}
