import type { ConversationSummary } from "@parley/schema";
import * as z from "zod";
import { connect, type ServerConnection } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { listCommand } from "../grammar/list-command.ts";
import { actionCommand, getCommand, type Named, updateCommand } from "../grammar/one-commands.ts";
import { group } from "../group.ts";
import { shortTime } from "../terminal/short-time.ts";
import type { Context } from "../context.ts";

const noun = { many: "conversations", one: "conversation", open: connect };

/** Conversations that are listed by default. */
const NEWEST = 20;

/** Titles are no names: they repeat, and change. */
async function find(_connection: ServerConnection, id: string): Promise<Named> {
  return { id, name: id };
}

const common = { find, by: "id" } as const;

/** Makes the commands about conversations. */
export const createConversationAdministration = (context: Context) =>
  group("conversations", "conversations that the key sees", [
    listCommand(context, noun, {
      about: "list the conversations, the newest first",
      listed: "conversations",
      limit: NEWEST,
      filters: z.object({}),
      read: ({ parley }) =>
        readPages(
          async (place) => parley.conversations.list(place),
          ({ conversations }): readonly ConversationSummary[] => conversations,
        ),
      idOf: ({ sId }) => sId,
      columns: {
        ID: ({ sId }) => sId,
        CREATED: ({ created }) => shortTime(created),
        UPDATED: ({ updated }) => shortTime(updated),
        TITLE: ({ title }) => title,
      },
    }),
    getCommand(context, noun, {
      ...common,
      read: async ({ parley }, { id }) => parley.conversations.get({ conversationId: id }),
    }),
    updateCommand(context, noun, {
      ...common,
      about: "give a conversation a title",
      schema: z.object({ title: z.string().optional().describe("new title") }),
      call: async ({ parley }, found, { title }) => {
        const answer = await parley.conversations.update({ conversationId: found.id, title });
        return { named: found, answer };
      },
    }),
    actionCommand(context, noun, {
      ...common,
      name: "remove",
      about: "delete a conversation and all of its content",
      did: "removed",
      destroys: ({ id }) => `deletes the conversation ${id} for good`,
      call: async ({ parley }, { id }) => ({
        answer: await parley.conversations.delete({ conversationId: id }),
      }),
    }),
  ]);
