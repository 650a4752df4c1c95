import { cp } from "node:fs/promises";
import path from "node:path";
import type { Entry, Prepared } from "../entry.ts";
import type { World } from "../world.ts";

const folders = path.join(import.meta.dirname, "../../../skills/folders");

const skill = {
  name: "refunds",
  agentFacingDescription: "When a customer wants money back",
  userFacingDescription: "Refunds orders",
};

const createSkill = async ({ rpc, wId }: World) =>
  rpc.skills.create.mutate({ wId, ...skill, instructions: "Be quick." });

const withSkill = async (world: World): Promise<void> => void (await createSkill(world));

async function withSuggestion({ rpc, wId }: World): Promise<void> {
  await rpc.skills.create.mutate({ wId, ...skill, status: "suggested" });
}

async function withArchived(world: World): Promise<Prepared> {
  const created = await createSkill(world);
  const { sId: id } = created.skill;
  const { version } = created;
  await world.rpc.skills.archive.mutate({ wId: world.wId, skillId: id, version });
  return { id };
}

const withFolders = async ({ home }: World): Promise<void> =>
  cp(folders, path.join(home, "skills"), { recursive: true });

/** Commands about skills. */
export const skillEntries: readonly Entry[] = [
  { command: "skills list", prepare: withSkill },
  { command: "skills get", prepare: withSkill, args: ["refunds"] },
  {
    command: "skills create",
    args: ["refunds", "--agent-facing-description", skill.agentFacingDescription],
  },
  { command: "skills update", prepare: withSkill, args: ["refunds", "--icon", "coin"] },
  {
    command: "skills publish",
    prepare: withSkill,
    args: ["refunds", "--availability", "workspace_users"],
  },
  { command: "skills approve", prepare: withSuggestion, args: ["refunds"] },
  { command: "skills remove", prepare: withSkill, args: ["refunds"], confirmed: "refunds" },
  { command: "skills restore", prepare: withArchived, args: ({ id = "" }) => [id] },
  { command: "skills import", prepare: withFolders, args: ["skills"] },
  { command: "skills validate", prepare: withFolders, args: ["skills"], opens: "nothing" },
  { command: "skills export", prepare: withSkill, args: ["refunds"] },
];
