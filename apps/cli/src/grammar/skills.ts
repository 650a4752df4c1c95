import type { Skill, SkillAvailability, SkillStatus } from "@parley/schema";
import { callServer, errorTypeOf } from "../connection/call-server.ts";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { type Find, findIn, nounOf } from "./noun.ts";

export const skills = nounOf("skills.list", {
  many: "skills",
  one: "skill",
  open: connect,
  // Read just before the change.
  versionOf: async ({ rpc, wId }: ServerConnection, { id }) =>
    (await rpc.skills.get.query({ wId, skillId: id })).version,
});

interface Filters {
  readonly status?: SkillStatus | undefined;
  readonly availability?: SkillAvailability | undefined;
}

/** Reads the skills that the key may see; an admin's sees unpublished ones too. Throws `CommandError`. */
export async function* readSkills(
  { parley, rpc }: ServerConnection,
  { status, availability }: Filters,
): AsyncGenerator<Skill> {
  const { session } = await callServer(rpc.session.get.query({}));
  const listed = await callServer(
    parley.skills.list({
      ...(status !== undefined && { status }),
      ...(availability !== undefined && { availability: [availability] }),
      ...(session.role === "admin" && { bypassEditorVisibility: true }),
    }),
  );
  yield* listed.skills;
}

/** Reads the skills in several states. */
export async function* readEach(
  connection: ServerConnection,
  statuses: readonly SkillStatus[],
  filters: Omit<Filters, "status"> = {},
): AsyncGenerator<Skill> {
  for (const status of statuses) yield* readSkills(connection, { ...filters, status });
}

/** Finds the skill with an id or a name, in one of these states. */
export const findSkill =
  (...statuses: SkillStatus[]): Find<ServerConnection, Skill> =>
  async (connection, reference) => {
    const byId = await readById(connection, reference);
    if (byId !== undefined && statuses.includes(byId.status)) {
      return { id: byId.sId, name: byId.name, item: byId };
    }
    return findIn(skills, () => readEach(connection, statuses))(connection, reference);
  };

/** The skill with an id, also an unpublished one, which lists show to admins alone; nothing without a builder's key. */
async function readById(
  { rpc, wId }: ServerConnection,
  skillId: string,
): Promise<Skill | undefined> {
  if (!skillId.startsWith("skl_")) return undefined;
  try {
    return (await callServer(rpc.skills.get.query({ wId, skillId }))).skill;
  } catch (error) {
    const type = errorTypeOf(error);
    if (type === "skill_not_found" || type === "app_auth_error") return undefined;
    throw error;
  }
}
