import {
  type AdministeredSkill,
  CreateSkill,
  PublishSkill,
  SkillAvailability,
  SkillStatus,
  UpdateSkill,
} from "@parley/schema";
import * as z from "zod";
import type { ServerConnection } from "../connection/connect.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findFile } from "../grammar/files.ts";
import { findMember } from "../grammar/members.ts";
import { findSkill, readEach, skills as noun } from "../grammar/skills.ts";
import { findSpace } from "../grammar/spaces.ts";
import { findToolNamed } from "../grammar/tools.ts";
import {
  actionCommand,
  createCommand,
  type Done,
  getCommand,
  type Named,
  updateCommand,
} from "../grammar/one-commands.ts";
import type { Context } from "../context.ts";

const find = findSkill(...SkillStatus.options);

const references = {
  editorIds: findMember,
  fileIds: findFile,
  spaceIds: findSpace,
  toolIds: findToolNamed,
};

/** What a mutation of a skill takes: the version that was read just before. */
async function versionOf({ rpc, wId }: ServerConnection, { id }: Named) {
  const { version } = await rpc.skills.get.query({ wId, skillId: id });
  return { wId, skillId: id, version };
}

const doneOf = (answer: AdministeredSkill): Done => ({
  named: { id: answer.skill.sId, name: answer.skill.name },
  answer,
});

/** Makes the commands that every noun has. */
export const createAdministration = (context: Context) => [
  listCommand(context, noun, {
    about: "list the skills",
    listed: "skills",
    filters: z.object({
      status: SkillStatus.optional().describe(
        "State of the skills; active and suggested by default",
      ),
      availability: SkillAvailability.optional().describe("Only those with this availability"),
    }),
    // What was imported is suggested, and nowhere else.
    read: (connection, { status, ...filters }) =>
      readEach(connection, status === undefined ? ["active", "suggested"] : [status], filters),
    idOf: ({ sId }) => sId,
    columns: {
      ID: ({ sId }) => sId,
      NAME: ({ name }) => name,
      STATUS: ({ status }) => status,
      AVAILABILITY: ({ availability }) => availability,
      TOOLS: ({ tools }) => tools.length,
      FILES: ({ fileAttachments }) => fileAttachments.length,
      DESCRIPTION: (skill) => skill.agentFacingDescription,
    },
  }),
  getCommand(context, noun, {
    find,
    read: async ({ rpc, wId }, { id }) => rpc.skills.get.query({ wId, skillId: id }),
  }),
  createCommand(context, noun, {
    argument: "name",
    schema: CreateSkill.omit({ wId: true }),
    references,
    call: async ({ rpc, wId }, input) => doneOf(await rpc.skills.create.mutate({ wId, ...input })),
  }),
  updateCommand(context, noun, {
    schema: UpdateSkill.omit({ wId: true, skillId: true, version: true }),
    references,
    find,
    call: async (connection, found, input) => {
      const of = await versionOf(connection, found);
      return doneOf(await connection.rpc.skills.update.mutate({ ...of, ...input }));
    },
  }),
  actionCommand(context, noun, {
    name: "publish",
    about: "set who can use an active skill",
    did: "published",
    schema: PublishSkill.pick({ availability: true }),
    find: findSkill("active"),
    call: async (connection, found, { availability }) => {
      const of = await versionOf(connection, found);
      return doneOf(await connection.rpc.skills.publish.mutate({ ...of, availability }));
    },
  }),
  actionCommand(context, noun, {
    name: "approve",
    about: "make a suggested skill active",
    did: "approved",
    find: findSkill("suggested"),
    call: async (connection, found) =>
      doneOf(await connection.rpc.skills.approve.mutate(await versionOf(connection, found))),
  }),
  actionCommand(context, noun, {
    name: "remove",
    about: "archive a skill: no agent works with it any more",
    did: "archived",
    find: findSkill("active", "suggested"),
    destroys: ({ name }) => `archives the skill ${name}`,
    call: async (connection, found) =>
      doneOf(await connection.rpc.skills.archive.mutate(await versionOf(connection, found))),
  }),
  actionCommand(context, noun, {
    name: "restore",
    about: "make an archived skill active again",
    did: "restored",
    find: findSkill("archived"),
    call: async (connection, found) =>
      doneOf(await connection.rpc.skills.restore.mutate(await versionOf(connection, found))),
  }),
];
