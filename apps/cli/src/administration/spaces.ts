import { CreateSpace, type Space, UpdateSpace } from "@parley/schema";
import * as z from "zod";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { findOne } from "../grammar/find-one.ts";
import { listCommand } from "../grammar/list-command.ts";
import {
  actionCommand,
  createCommand,
  type Done,
  getCommand,
  updateCommand,
} from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";

const noun = { many: "spaces", one: "space", open: connect };

const readAll = ({ rpc, wId }: ServerConnection) =>
  readPages(
    async (place) => rpc.spaces.listAll.query({ wId, limit: 100, ...place }),
    ({ spaces }) => spaces,
  );

async function find(connection: ServerConnection, reference: string) {
  const { sId, name } = await findOne(readAll(connection), reference, {
    ...noun,
    idOf: (space) => space.sId,
    nameOf: (space) => space.name,
  });
  return { id: sId, name };
}

const doneOf = (answer: { readonly space: Space }): Done => ({
  named: { id: answer.space.sId, name: answer.space.name },
  answer,
});

/** Makes the commands about spaces. */
export const createSpaceCommands = () =>
  group("spaces", "parts of a workspace that only some keys reach", [
    listCommand(noun, {
      about: "list the spaces",
      listed: "spaces",
      read: readAll,
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
    getCommand(noun, {
      find,
      read: async ({ rpc, wId }, { id }) => rpc.spaces.get.query({ wId, spaceId: id }),
    }),
    createCommand(noun, {
      argument: "name",
      schema: CreateSpace.omit({ wId: true }),
      call: async ({ rpc, wId }, input) =>
        doneOf(await rpc.spaces.create.mutate({ wId, ...input })),
    }),
    updateCommand(noun, {
      schema: UpdateSpace.omit({ wId: true, spaceId: true }),
      find,
      call: async ({ rpc, wId }, { id }, input) =>
        doneOf(await rpc.spaces.update.mutate({ wId, spaceId: id, ...input })),
    }),
    actionCommand(noun, {
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
