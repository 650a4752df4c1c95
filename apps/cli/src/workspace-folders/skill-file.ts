import { CreateSkill, UpdateSkill } from "@parley/schema";
import {
  editSkillFile,
  folderNameOf,
  parseSkillFolders,
  readYaml,
  writeYaml,
} from "@parley/core/skill-folders";
import * as z from "zod";
import { locateFaults } from "../skills/locate-faults.ts";
import { readSkillFolders } from "../skills/read-skill-folders.ts";
import type { Entry, WrittenFiles } from "./kind.ts";
import { type Fault, type ReadFile, readYamlFile, withoutDefaults, YAML } from "./yaml-file.ts";

const { name, userFacingDescription, icon, reinforcement, status, availability } =
  CreateSkill.shape;
const { spaceIds, toolIds } = UpdateSkill.shape;

/** `skills/<folder>.yaml`, beside the folder: what its SKILL.md cannot say. */
const SkillFile = z.object({
  name: name.optional(),
  userFacingDescription,
  icon,
  status,
  availability,
  reinforcement,
  tools: toolIds,
  spaces: spaceIds,
});

/** What that says; its spaces are without those of its tools. */
const settingsOf = (value: z.output<typeof SkillFile>) => ({
  icon: value.icon ?? "",
  status: value.status ?? ("active" as const),
  availability: value.availability ?? ("editors" as const),
  reinforcement: value.reinforcement ?? ("auto" as const),
  tools: [...new Set(value.tools)],
  spaces: [...new Set(value.spaces)].toSorted(),
});

export type SkillDefinition = ReturnType<typeof settingsOf> & {
  readonly name: string;
  /** For agents. */
  readonly description: string;
  readonly userFacingDescription: string;
  /** Without white space around them; empty for none. */
  readonly instructions: string;
  /** Its files, by their paths. */
  readonly files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
  /** Paths of those that are executable. */
  readonly executables: readonly string[];
  /** The text of its SKILL.md, in a folder that is named for the skill. */
  readonly skillFile: string;
};

/** Reads a skill's folder and the file beside it. */
export async function readSkillEntry({
  file: folder,
  place,
  entries,
  text,
}: Entry): Promise<ReadFile<SkillDefinition>> {
  if (YAML.test(folder)) {
    const message = "has no skill folder of the same name beside it";
    const isBeside = entries.includes(folder.replace(YAML, ""));
    return { faults: isBeside ? [] : [{ file: folder, message }] };
  }
  const { files } = await readSkillFolders(place);
  const yaml = entries.find((one) => YAML.test(one) && one.replace(YAML, "") === folder);
  const yamlText = yaml === undefined ? "" : await text(yaml);
  const uploaded = files.map(({ path, content }) => ({ path, bytes: content }));
  const { skills, issues } = await parseSkillFolders(uploaded, async (one) => readYaml(one));
  const parent = folder.slice(0, folder.lastIndexOf("/") + 1);
  const located = issues.flatMap(({ path, message }) => locateFaults(files, path, message));
  const faults = located.map(({ file, message, ...at }): Fault => {
    return { file: parent + file, place: at, message };
  });
  const about = readYamlFile(SkillFile, { file: yaml ?? folder, text: yamlText });
  if ("faults" in about) faults.push(...about.faults);
  const [parsed, second] = skills;
  if (second !== undefined) faults.push({ file: folder, message: "must have exactly one skill" });
  if (parsed === undefined || "faults" in about || faults.length > 0) return { faults };
  const { value } = about;
  const root = `${parsed.name}/`;
  const content = files.filter(({ path }) => path !== parsed.filePath);
  const pathOf = ({ path }: { path: string }) => path.slice(root.length);
  const { description, instructions } = parsed;
  const said = { name: value.name ?? parsed.name, description, instructions };
  return {
    value: {
      name: said.name,
      description,
      skillFile: sayInSkillFile(parsed.skillFile, said),
      executables: content.flatMap((file) => (file.isExecutable ? pathOf(file) : [])).toSorted(),
      userFacingDescription: value.userFacingDescription ?? description,
      instructions,
      ...settingsOf(value),
      files: Object.fromEntries(
        content.map((file) => [pathOf(file), new Uint8Array(file.content)]),
      ),
    },
  };
}

/** A SKILL.md with what a skill says; its other bytes stay if that can be. */
export function sayInSkillFile(
  text: string,
  {
    name: named,
    description,
    instructions,
  }: Pick<SkillDefinition, "name" | "description" | "instructions">,
  folder: string = folderNameOf(named),
): string {
  const edited = editSkillFile({ text, name: folder, description, instructions });
  const front = () => writeYaml({ name: folder, description });
  return edited ?? `---\n${front()}---\n\n${instructions}\n`;
}

/** Writes a skill's folder and, if that does not say all, the file beside it. */
export function writeSkill(skill: SkillDefinition, stem: string): WrittenFiles {
  const folder = stem.slice(stem.lastIndexOf("/") + 1);
  // In the order of the members of the file.
  const members = Object.keys(SkillFile.shape) as (keyof typeof SkillFile.shape)[];
  const beside = withoutDefaults(Object.fromEntries(members.map((one) => [one, skill[one]])), {
    ...settingsOf(SkillFile.parse({})),
    name: folder,
    userFacingDescription: skill.description,
  });
  const files = Object.entries(skill.files).map(([path, content]) => [`${stem}/${path}`, content]);
  return {
    files: {
      [`${stem}/SKILL.md`]: sayInSkillFile(skill.skillFile, skill, folder),
      ...Object.fromEntries(files),
      ...(Object.keys(beside).length > 0 && { [`${stem}.yaml`]: writeYaml(beside) }),
    },
    executables: skill.executables.map((path) => `${stem}/${path}`),
  };
}

/** The files that an import of a skill's contents takes, in a folder of a name that folders may have. */
export function importedFiles(skill: SkillDefinition) {
  const folder = folderNameOf(skill.name);
  const text = new TextEncoder().encode(sayInSkillFile(skill.skillFile, skill, folder));
  return [
    { path: `${folder}/SKILL.md`, content: text },
    ...Object.entries(skill.files).map(([path, content]) => {
      const isExecutable = skill.executables.includes(path);
      return { path: `${folder}/${path}`, content, isExecutable };
    }),
  ];
}
