import { CreateSkill, UpdateSkill } from "@parley/schema";
import { folderNameOf, parseSkillFolders, readYaml, writeYaml } from "@parley/core/skill-folders";
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
  readonly files: readonly { readonly path: string; readonly content: Uint8Array<ArrayBuffer> }[];
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
  return {
    value: {
      name: value.name ?? parsed.name,
      description: parsed.description,
      userFacingDescription: value.userFacingDescription ?? parsed.description,
      instructions: parsed.instructions,
      icon: value.icon ?? "",
      status: value.status ?? "active",
      availability: value.availability ?? "editors",
      reinforcement: value.reinforcement ?? "auto",
      tools: [...new Set(value.tools)],
      spaces: [...new Set(value.spaces)].toSorted(),
      files: Object.fromEntries(
        content.map((file) => [file.path.slice(root.length), new Uint8Array(file.content)]),
      ),
    },
  };
}

/** The text of the SKILL.md of a skill whose folder has this name. */
export function writeSkillFile(
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
      return { path: `${folder}/${path}`, content };
    }),
  ];
}
