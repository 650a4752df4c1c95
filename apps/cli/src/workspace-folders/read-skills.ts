import { SkillStatus } from "@parley/schema";
import { callServer } from "../connection/call-server.ts";
import type { ServerConnection } from "../connection/connect.ts";
import { readZip } from "../skills/read-zip.ts";
import type { SkillDefinition } from "./definitions.ts";
import { readEach } from "./read-each.ts";
import type { Listed, Read, ReadSpace } from "./workspace-state.ts";

interface Readers {
  readonly isAdmin: boolean;
  /** Ids of skills that agents have: builders see them, also where lists do not show them. */
  readonly linked: readonly string[];
}

/** The skills of a workspace: all for an admin, for a builder the published ones and those of agents. */
export async function findSkills(
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
