import { CommandError } from "@parley/command/command-error";
import { SkillStatus } from "@parley/schema";
import { folderNameOf } from "@parley/core/skill-folders";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readZip } from "../skills/read-zip.ts";
import {
  type Applying,
  type Change,
  isShown,
  type Kind,
  type Listed,
  type Read,
  type ReadSpace,
} from "./kind.ts";
import { readEach } from "../connection/read-pages.ts";
import {
  importedFiles,
  readSkillEntry,
  sayInSkillFile,
  type SkillDefinition,
  writeSkill,
} from "./skill-file.ts";

interface Readers {
  readonly isAdmin: boolean;
  /** Ids of skills that agents have: builders see them, also if lists do not show them. */
  readonly linked: readonly string[];
}

/** The skills of a workspace: all for an admin, for a builder the published ones and those of agents. */
export async function listSkills(
  { rpc, parley, wId }: ServerConnection,
  { isAdmin, linked }: Readers,
): Promise<Listed[]> {
  const lists = await Promise.all(
    SkillStatus.options.map(async (status) => {
      const bypass = isAdmin ? { bypassEditorVisibility: true } : {};
      return callServer(parley.skills.list({ status, ...bypass }));
    }),
  );
  const listed = lists.flatMap(({ skills }) => skills);
  const known = new Set(listed.map(({ sId }) => sId));
  const others = [...new Set(linked)].filter((id) => !known.has(id));
  const shown = await readEach(others, async (skillId) => {
    const { skill } = await callServer(rpc.skills.get.query({ wId, skillId }));
    return skill;
  });
  return [...listed, ...shown].map(({ name, sId: id, status }) => {
    return { name, id, isArchived: status === "archived" };
  });
}

/** Reads a skill with its files. */
export async function readSkill(
  { rpc, parley, wId }: ServerConnection,
  one: Listed,
  spaces: readonly ReadSpace[],
): Promise<Read<SkillDefinition>> {
  const { skill, version } = await callServer(rpc.skills.get.query({ wId, skillId: one.id }));
  const folder = await readFolder(parley, one.id);
  const { agentFacingDescription, userFacingDescription, instructions, icon, status } = skill;
  const manual = skill.manuallyRequestedSpaceIds.map((id) => {
    return spaces.find((space) => space.id === id)?.name ?? id;
  });
  return {
    ...one,
    version,
    definition: {
      name: skill.name,
      description: agentFacingDescription.trim(),
      userFacingDescription:
        userFacingDescription === agentFacingDescription
          ? userFacingDescription.trim()
          : userFacingDescription,
      // As a SKILL.md can have them.
      instructions: (instructions ?? "").trim(),
      icon: icon ?? "",
      status: status === "suggested" ? "suggested" : "active",
      availability: skill.availability,
      reinforcement: skill.reinforcement,
      tools: skill.tools.map(({ name }) => name),
      spaces: [...new Set(manual)].toSorted(),
      ...folder,
    },
  };
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The SKILL.md of a skill, and its files by their paths, without those that were deleted. */
async function readFolder(
  parley: ServerConnection["parley"],
  skillId: string,
): Promise<Pick<SkillDefinition, "files" | "executables" | "skillFile">> {
  const response = await callServer(parley.skills.export({ skillId }));
  const entries = await readZip(Buffer.from(await response.arrayBuffer()));
  const inFolder = entries
    .map((file) => ({ ...file, path: file.path.slice(file.path.indexOf("/") + 1) }))
    .toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const files = inFolder.filter(({ path }) => path !== "SKILL.md");
  const skillFile = inFolder.find(({ path }) => path === "SKILL.md");
  return {
    skillFile: decoder.decode(skillFile?.content),
    files: Object.fromEntries(files.map(({ path, content }) => [path, content])),
    executables: files.flatMap(({ path, isExecutable }) => (isExecutable ? path : [])),
  };
}

/** Why a skill cannot become what the folder declares. */
function findFaultOfMove(
  { definition: before, isArchived }: Read<SkillDefinition>,
  after: SkillDefinition,
): string | undefined {
  if (after.status === "active") return undefined;
  if (isArchived) return "status: an archived skill can only become active";
  if (before.status === "active") {
    return "status: an active skill cannot become suggested again";
  }
  if (before.availability === after.availability) return undefined;
  return "availability: can only change if the skill is active: declare the status active";
}

/** Why a builder cannot create a skill: an import finds out whether the name is taken, for some names. */
function findFaultOfCreation({ name, availability }: SkillDefinition): string | undefined {
  if (availability !== "editors" || folderNameOf(name) === name) return undefined;
  return "availability: builders cannot see skills for editors: use an admin key, or declare another availability";
}

function membersOf({ ids }: Applying, skill: SkillDefinition) {
  const { name, description, userFacingDescription, instructions, icon, reinforcement } = skill;
  return {
    name,
    agentFacingDescription: description,
    userFacingDescription,
    instructions,
    icon,
    reinforcement,
    toolIds: skill.tools.map((tool) => ids.tool.get(tool) ?? tool),
    spaceIds: skill.spaces.map((space) => ids.space.get(space) ?? space),
  };
}

async function createSkill(applying: Applying, skill: SkillDefinition): Promise<string> {
  const { rpc, wId } = applying.connection;
  const isWritten = sayInSkillFile("", skill) !== skill.skillFile;
  const hasFiles = isWritten || Object.keys(skill.files).length > 0;
  // Nobody is given it before its files are there.
  const status = hasFiles ? "suggested" : skill.status;
  const { availability } = skill;
  const draft = { wId, ...membersOf(applying, skill), status, availability };
  const { skill: created, version } = await callServer(rpc.skills.create.mutate(draft));
  if (hasFiles) await replaceFiles(applying, { id: created.sId, version, skill });
  return created.sId;
}

/**
 * The same by an import, which refuses a name that is taken: a builder does not see all skills, and another of the
 * name would be made each time.
 */
async function createAsBuilder(applying: Applying, skill: SkillDefinition): Promise<string> {
  const { name, availability } = skill;
  if (folderNameOf(name) !== name) return createSkill(applying, skill);
  const { rpc, parley, wId } = applying.connection;
  const about = { status: "suggested", availability, source: "local_file" } as const;
  const importing = callServer(parley.skills.import({ ...about, files: importedFiles(skill) }));
  const report = await importing.catch((error: unknown) => {
    if (errorTypeOf(error) !== "skill_already_exists") throw error;
    throw new CommandError(`the workspace has a skill ${name} that only admin keys can see`, {
      cause: (error as Error).cause,
    });
  });
  const skillId = report.imported[0]?.sId ?? "";
  const change = { wId, skillId, version: 0, ...membersOf(applying, skill) };
  const { version } = await callServer(rpc.skills.update.mutate(change));
  if (skill.status === "active") {
    await callServer(rpc.skills.approve.mutate({ wId, skillId, version }));
  }
  return skillId;
}

/** Members that an update does not change. */
const imported = new Set(["files", "executables", "skillFile", "status", "availability"]);

async function updateSkill(
  applying: Applying,
  { before, after: skill, changed }: Change<SkillDefinition>,
): Promise<void> {
  const { rpc, wId } = applying.connection;
  const { id: skillId } = before;
  let { version } = before;
  const isSuggested = before.definition.status === "suggested";
  if (["files", "executables", "skillFile"].some((name) => changed.has(name))) {
    const replaced = { ...skill, status: "suggested" as const };
    await replaceFiles(applying, { id: skillId, version, skill: replaced });
    version++;
  }
  if ([...changed].some((name) => !imported.has(name))) {
    const change = { wId, skillId, version, ...membersOf(applying, skill) };
    ({ version } = await callServer(rpc.skills.update.mutate(change)));
  }
  if (before.isArchived) {
    ({ version } = await callServer(rpc.skills.restore.mutate({ wId, skillId, version })));
  } else if (isSuggested && skill.status === "active") {
    ({ version } = await callServer(rpc.skills.approve.mutate({ wId, skillId, version })));
  }
  if (changed.has("availability")) {
    const { availability } = skill;
    await callServer(rpc.skills.publish.mutate({ wId, skillId, version, availability }));
  }
}

interface Replaced {
  readonly id: string;
  readonly version: number;
  readonly skill: SkillDefinition;
}

/** Replaces what the folder of a skill has; a suggested skill with the status active becomes active. */
async function replaceFiles(
  { connection: { parley } }: Applying,
  { id: skillId, version, skill }: Replaced,
): Promise<void> {
  const status = skill.status === "active" ? { status: "active" as const } : {};
  const about = { skillId, version, ...status, source: "local_file" as const };
  await callServer(parley.skills.import({ ...about, files: importedFiles(skill) }));
}

export const skillKind: Kind<SkillDefinition> = {
  folder: "skills",
  nameOf: ({ name }) => name,
  // A skill may have a README.
  isTaken: isShown,
  read: readSkillEntry,
  write: writeSkill,
  usesOf: ({ tools, spaces }) => [
    ["tool", tools],
    ["space", spaces],
  ],
  findFault: (after, before, { isAdmin }) => {
    if (before !== undefined) return findFaultOfMove(before, after);
    return isAdmin ? undefined : findFaultOfCreation(after);
  },
  compared: (skill, before) => {
    const isEdited = sayInSkillFile(before.skillFile, skill) === skill.skillFile;
    // What it says is compared as the members that say it.
    return { ...skill, skillFile: isEdited ? before.skillFile : skill.skillFile };
  },
  create: async (applying, skill, { isAdmin }) =>
    isAdmin ? createSkill(applying, skill) : createAsBuilder(applying, skill),
  update: updateSkill,
  remove: async ({ rpc, wId }, { id: skillId }) => {
    const { version } = await callServer(rpc.skills.get.query({ wId, skillId }));
    await callServer(rpc.skills.archive.mutate({ wId, skillId, version }));
  },
};
