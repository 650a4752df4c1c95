import { folderNameOf } from "@parley/core/skill-folders";
import { CommandError } from "../command-error.ts";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import type { SkillDefinition } from "./definitions.ts";
import { type Applying, differencesOf, type Step } from "./plan.ts";
import { requireSpaces } from "./plan-settings.ts";
import { findNamed, type Planning, requireNames } from "./planning.ts";
import type { Declared } from "./read-workspace-folder.ts";
import { importedFiles, sayInSkillFile } from "./skill-files.ts";
import { diffFiles, diffValues } from "./text-diff.ts";
import type { Read } from "./workspace-state.ts";

/** Plans the skills of the folder. */
export const planSkills = (planning: Planning): Step[] =>
  planning.declared.skills.flatMap((skill) => planSkill(planning, skill));

function planSkill(planning: Planning, { file, ...skill }: Declared<SkillDefinition>): Step[] {
  requireNames(planning, "tool", { file, names: skill.tools });
  requireSpaces(planning, { file, names: skill.spaces });
  const { name } = skill;
  const before = findNamed(planning, "skill", { file, name, read: planning.state.skills });
  if (before === "fault") return [];
  const step = { kind: "skill", name, secrets: [] } as const;
  if (before === undefined) {
    const isBuilder = planning.state.settings === undefined;
    const create = isBuilder ? createAsBuilder : createSkill;
    const run = async (applying: Applying) => create(applying, skill);
    if (isBuilder && skill.availability === "editors" && folderNameOf(name) !== name) {
      planning.faults.push({ file, message: unseen });
      return [];
    }
    return [{ ...step, action: "create", members: [], run }];
  }
  const { definition, isArchived } = before;
  const fault = findFaultOfMove(before, skill);
  if (fault !== undefined) {
    planning.faults.push({ file, message: fault });
    return [];
  }
  const changed = differencesOf(definition, skill);
  const isEdited = sayInSkillFile(definition.skillFile, skill) === skill.skillFile;
  // What it says is shown as the members that say it.
  const shown = changed.filter((member) => member !== "skillFile" || !isEdited);
  const members = shown.map((member) => {
    if (member === "files") {
      const lines = diffFiles(definition.files, skill.files, (one, other) =>
        Buffer.from(one).equals(other),
      );
      return { name: member, lines };
    }
    const of = (one: SkillDefinition) => one[member as keyof SkillDefinition];
    return { name: member, lines: diffValues(of(definition), of(skill)) };
  });
  if (members.length === 0 && !isArchived) return [{ ...step, action: "unchanged", members }];
  const names = new Set(members.map((member) => member.name));
  const run = async (applying: Applying) => updateSkill(applying, { before, skill, names });
  return [{ ...step, action: isArchived ? "restore" : "update", members, run }];
}

/** Why a skill cannot become what the folder declares. */
function findFaultOfMove(
  { definition: before, isArchived }: Read<SkillDefinition>,
  after: SkillDefinition,
): string | undefined {
  if (after.status === "active") return undefined;
  if (isArchived) return "status: the skill is archived, and can only become active";
  if (before.status === "active") {
    return "status: the skill is active, and cannot become suggested again";
  }
  if (before.availability === after.availability) return undefined;
  return "availability: only that of an active skill can change: declare the status active";
}

function membersOf({ ids }: Pick<Applying, "ids">, skill: SkillDefinition) {
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

async function createSkill(applying: Applying, skill: SkillDefinition): Promise<void> {
  const { rpc, wId } = applying.connection;
  const isWritten = sayInSkillFile("", skill) !== skill.skillFile;
  const hasFiles = isWritten || Object.keys(skill.files).length > 0;
  // Nobody is given it before its files are there.
  const status = hasFiles ? "suggested" : skill.status;
  const { availability } = skill;
  const draft = { wId, ...membersOf(applying, skill), status, availability };
  const { skill: created, version } = await callServer(rpc.skills.create.mutate(draft));
  applying.ids.skill.set(skill.name, created.sId);
  if (hasFiles) await replaceFiles(applying, { id: created.sId, version, skill });
}

const unseen =
  "availability: builders do not see skills for editors: use a key of an admin, or declare another availability";

/**
 * The same by an import, which refuses a name that is taken: a builder does not see all skills, and another of the
 * name would be made each time.
 */
async function createAsBuilder(applying: Applying, skill: SkillDefinition): Promise<void> {
  const { name, availability } = skill;
  if (folderNameOf(name) !== name) return createSkill(applying, skill);
  const { rpc, parley, wId } = applying.connection;
  const about = { status: "suggested", availability, source: "local_file" } as const;
  const importing = callServer(parley.skills.import({ ...about, files: importedFiles(skill) }));
  const report = await importing.catch((error: unknown) => {
    if (errorTypeOf(error) !== "skill_already_exists") throw error;
    throw new CommandError(`the workspace has a skill ${name}, which only keys of admins see`, {
      cause: (error as Error).cause,
    });
  });
  const skillId = report.imported[0]?.sId ?? "";
  applying.ids.skill.set(name, skillId);
  const updating = rpc.skills.update.mutate({
    wId,
    skillId,
    version: 0,
    ...membersOf(applying, skill),
  });
  const { version } = await callServer(updating);
  if (skill.status === "active") {
    await callServer(rpc.skills.approve.mutate({ wId, skillId, version }));
  }
}

interface SkillChange {
  readonly before: Read<SkillDefinition>;
  readonly skill: SkillDefinition;
  /** Names of the members that differ. */
  readonly names: ReadonlySet<string>;
}

/** Members that an update does not change. */
const imported = new Set(["files", "executables", "skillFile", "status", "availability"]);

async function updateSkill(applying: Applying, change: SkillChange): Promise<void> {
  const { before, skill, names } = change;
  const { rpc, wId } = applying.connection;
  const { id: skillId } = before;
  let { version } = before;
  const isSuggested = before.definition.status === "suggested";
  const isImported = ["files", "executables", "skillFile"].some((name) => names.has(name));
  if (isImported) {
    await replaceFiles(applying, {
      id: skillId,
      version,
      skill: { ...skill, status: "suggested" },
    });
    version++;
  }
  const others = [...names].filter((name) => !imported.has(name));
  if (others.length > 0) {
    const changed = { wId, skillId, version, ...membersOf(applying, skill) };
    ({ version } = await callServer(rpc.skills.update.mutate(changed)));
  }
  if (before.isArchived) {
    ({ version } = await callServer(rpc.skills.restore.mutate({ wId, skillId, version })));
  } else if (isSuggested && skill.status === "active") {
    ({ version } = await callServer(rpc.skills.approve.mutate({ wId, skillId, version })));
  }
  if (names.has("availability")) {
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
