import { SkillAvailability, SkillStatus } from "@parley/schema";
import * as z from "zod";
import { listCommand } from "../grammar/list-command.ts";
import {
  findFile,
  findMember,
  findSkill,
  findSpace,
  findTool,
  skills as noun,
  readEach,
} from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import type { Context } from "../connection/context.ts";

const find = findSkill(...SkillStatus.options);

const references = {
  editorIds: findMember,
  fileIds: findFile,
  spaceIds: findSpace,
  toolIds: findTool,
};

/** Makes the commands that every noun has. */
export const createAdministration = (context: Context) => [
  listCommand(context, noun, {
    about: "list the skills",
    filters: z.object({
      status: SkillStatus.optional().describe(
        "Status of the skills; active and suggested by default",
      ),
      availability: SkillAvailability.optional().describe("Only skills with this availability"),
    }),
    // What was imported is suggested, and nowhere else.
    read: (connection, { status, ...filters }) =>
      readEach(connection, status === undefined ? ["active", "suggested"] : [status], filters),
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
  getCommand(context, noun, { find, read: "skills.get" }),
  createCommand(context, noun, { argument: "name", call: "skills.create", references }),
  updateCommand(context, noun, { call: "skills.update", find, references }),
  actionCommand(context, noun, {
    name: "publish",
    about: "set who can use an active skill",
    did: "published",
    find: findSkill("active"),
    call: "skills.publish",
  }),
  actionCommand(context, noun, {
    name: "approve",
    about: "make a suggested skill active",
    did: "approved",
    find: findSkill("suggested"),
    call: "skills.approve",
  }),
  actionCommand(context, noun, {
    name: "remove",
    about: "archive a skill, so that agents no longer use it",
    did: "archived",
    destroys: ({ name }) => `archive the skill ${name}`,
    find: findSkill("active", "suggested"),
    call: "skills.archive",
  }),
  actionCommand(context, noun, {
    name: "restore",
    about: "restore an archived skill",
    did: "restored",
    find: findSkill("archived"),
    call: "skills.restore",
  }),
];
