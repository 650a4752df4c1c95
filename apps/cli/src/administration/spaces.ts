import { group } from "@parley/command/group";
import * as z from "zod";
import { listCommand } from "../grammar/list-command.ts";
import { findKey, findSpace as find, spaces as noun } from "../grammar/nouns.ts";
import {
  actionCommand,
  createCommand,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../connection/context.ts";

const references = { keyIds: findKey };

/** Makes the commands about spaces. */
export const createSpaceCommands = (context: Context) =>
  group("spaces", "parts of a workspace that you can restrict to some keys", [
    listCommand(context, noun, {
      about: "list the spaces",
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        KIND: ({ kind }) => kind,
        RESTRICTED: ({ isRestricted }) => (isRestricted ? "yes" : "no"),
        KEYS: ({ keyIds }) => keyIds.length,
        CREATED: ({ createdAt }) => shortTime(createdAt),
      },
    }),
    getCommand(context, noun, { find, read: "spaces.get" }),
    createCommand(context, noun, { argument: "name", call: "spaces.create", references }),
    updateCommand(context, noun, { call: "spaces.update", find, references }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a space",
      did: "removed",
      schema: z.object({
        withContent: z.boolean().optional().describe("also delete what it contains"),
      }),
      destroys: ({ name }) => `permanently remove the space ${name}`,
      find,
      call: "spaces.delete",
    }),
  ]);
