import { CreateSpace, type Space, UpdateSpace } from "@parley/schema";
import * as z from "zod";
import { listCommand } from "../grammar/list-command.ts";
import { findKey } from "../grammar/keys.ts";
import { findSpace as find, readSpaces, spaces as noun } from "../grammar/spaces.ts";
import {
  actionCommand,
  createCommand,
  type Done,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

const references = { keyIds: findKey };

const doneOf = (answer: { readonly space: Space }): Done => ({
  named: { id: answer.space.sId, name: answer.space.name },
  answer,
});

/** Makes the commands about spaces. */
export const createSpaceCommands = (context: Context) =>
  group("spaces", "parts of a workspace that only some keys reach", [
    listCommand(context, noun, {
      about: "list the spaces",
      listed: "spaces",
      read: readSpaces,
      idOf: ({ sId }) => sId,
      columns: {
        ID: ({ sId }) => sId,
        NAME: ({ name }) => name,
        KIND: ({ kind }) => kind,
        RESTRICTED: ({ isRestricted }) => (isRestricted ? "yes" : "no"),
        KEYS: ({ keyIds }) => keyIds.length,
        CREATED: ({ createdAt }) => shortTime(createdAt),
      },
    }),
    getCommand(context, noun, {
      find,
      read: async ({ rpc, wId }, { id }) => rpc.spaces.get.query({ wId, spaceId: id }),
    }),
    createCommand(context, noun, {
      argument: "name",
      schema: CreateSpace.omit({ wId: true }),
      references,
      call: async ({ rpc, wId }, input) =>
        doneOf(await rpc.spaces.create.mutate({ wId, ...input })),
    }),
    updateCommand(context, noun, {
      schema: UpdateSpace.omit({ wId: true, spaceId: true }),
      references,
      find,
      call: async ({ rpc, wId }, { id }, input) =>
        doneOf(await rpc.spaces.update.mutate({ wId, spaceId: id, ...input })),
    }),
    actionCommand(context, noun, {
      name: "remove",
      about: "remove a space",
      did: "removed",
      find,
      schema: z.object({
        withContent: z.boolean().optional().describe("with what it holds"),
      }),
      destroys: ({ name }) => `removes the space ${name} for good`,
      call: async ({ rpc, wId }, { id }, { withContent = false }) => ({
        answer: await rpc.spaces.delete.mutate({ wId, spaceId: id, withContent }),
      }),
    }),
  ]);
