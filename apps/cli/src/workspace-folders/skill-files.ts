import { CreateSkill, UpdateSkill } from "@parley/schema";
import {
  editSkillFile,
  folderNameOf,
  parseSkillFolders,
  readYaml,
  writeYaml,
} from "@parley/core/skill-folders";
import * as z from "zod";
import type { SkillDefinition } from "./definitions.ts";
import type { Fault } from "./faults.ts";
import { type ReadFile, readYamlFile } from "./read-yaml.ts";

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

/** What there is of a skill in a folder. */
export interface SkillSource {
  /** Path of its folder. */
  readonly folder: string;
  /** Its files, with the name of its folder before their paths. */
  readonly files: readonly {
    readonly path: string;
    readonly content: Uint8Array<ArrayBuffer>;
    readonly isExecutable: boolean;
  }[];
  /** The file beside the folder. */
  readonly yaml: { readonly file: string; readonly text: string } | undefined;
}

/** Reads a skill's folder and the file beside it. */
export async function readSkillSource({
  folder,
  files,
  yaml,
}: SkillSource): Promise<ReadFile<SkillDefinition>> {
  const uploaded = files.map(({ path, content }) => ({ path, bytes: content }));
  const { skills, issues } = await parseSkillFolders(uploaded, async (text) => readYaml(text));
  const parent = folder.slice(0, folder.lastIndexOf("/") + 1);
  const faults: Fault[] = issues.map(({ path, message }) => ({ file: parent + path, message }));
  const about = yaml === undefined ? { value: SkillFile.parse({}) } : readYamlFile(SkillFile, yaml);
  if ("faults" in about) faults.push(...about.faults);
  const [parsed, second] = skills;
  if (second !== undefined) faults.push({ file: folder, message: "must have one skill" });
  if (parsed === undefined || "faults" in about || faults.length > 0) return { faults };
  const { value } = about;
  const root = `${parsed.name}/`;
  const content = files.filter(({ path }) => path !== parsed.filePath);
  const pathOf = ({ path }: { path: string }) => path.slice(root.length);
  const skillName = value.name ?? parsed.name;
  const { description, instructions } = parsed;
  return {
    value: {
      name: skillName,
      description,
      skillFile: sayInSkillFile(parsed.skillFile, { name: skillName, description, instructions }),
      executables: content.flatMap((file) => (file.isExecutable ? pathOf(file) : [])).toSorted(),
      userFacingDescription: value.userFacingDescription ?? parsed.description,
      instructions,
      icon: value.icon ?? "",
      status: value.status ?? "active",
      availability: value.availability ?? "editors",
      reinforcement: value.reinforcement ?? "auto",
      tools: [...new Set(value.tools)],
      spaces: [...new Set(value.spaces)].toSorted(),
      files: Object.fromEntries(
        content.map((file) => [pathOf(file), new Uint8Array(file.content)]),
      ),
    },
  };
}

type SaidInSkillFile = Pick<SkillDefinition, "name" | "description" | "instructions">;

/** A SKILL.md with what a skill says; its other bytes stay where that can be. */
export function sayInSkillFile(
  text: string,
  { name: skillName, description, instructions }: SaidInSkillFile,
  folder: string = folderNameOf(skillName),
): string {
  const edited = editSkillFile({ text, name: folder, description, instructions });
  return edited ?? renderSkillFile({ description, instructions }, folder);
}

/** The text of the SKILL.md of a skill whose folder has this name. */
export function writeSkillFile(skill: SkillDefinition, folder: string): string {
  return sayInSkillFile(skill.skillFile, skill, folder);
}

function renderSkillFile(
  { description, instructions }: Pick<SkillDefinition, "description" | "instructions">,
  folder: string,
): string {
  return `---\n${writeYaml({ name: folder, description })}---\n\n${instructions}\n`;
}

/** The text of the file beside a skill's folder; undefined where the folder says all. */
export function writeSkillYaml(skill: SkillDefinition, folder: string): string | undefined {
  const { tools, spaces } = skill;
  const file = {
    ...(skill.name !== folder && { name: skill.name }),
    ...(skill.userFacingDescription !== skill.description && {
      userFacingDescription: skill.userFacingDescription,
    }),
    ...(skill.icon !== "" && { icon: skill.icon }),
    ...(skill.status !== "active" && { status: skill.status }),
    ...(skill.availability !== "editors" && { availability: skill.availability }),
    ...(skill.reinforcement !== "auto" && { reinforcement: skill.reinforcement }),
    ...(tools.length > 0 && { tools }),
    ...(spaces.length > 0 && { spaces }),
  };
  return Object.keys(file).length === 0 ? undefined : writeYaml(file);
}

/** The files that an import of a skill's contents takes, in a folder of a name that folders may have. */
export function importedFiles(skill: SkillDefinition) {
  const folder = folderNameOf(skill.name);
  const encoder = new TextEncoder();
  const text = encoder.encode(writeSkillFile(skill, folder));
  return [
    { path: `${folder}/SKILL.md`, content: text },
    ...Object.entries(skill.files).map(([path, content]) => {
      const isExecutable = skill.executables.includes(path);
      return { path: `${folder}/${path}`, content, isExecutable };
    }),
  ];
}
