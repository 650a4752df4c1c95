import { group } from "@parley/command/group";
import * as z from "zod";
import { connect } from "../connection/connect.ts";
import { readPages } from "../connection/read-pages.ts";
import { listCommand } from "../grammar/list-command.ts";
import { findById as find, nounOf } from "../grammar/noun.ts";
import { actionCommand, getCommand, updateCommand } from "../grammar/one-commands.ts";
import { shortTime } from "../terminal/short-time.ts";
import { createSummaryCommands } from "./summaries.ts";
import type { Context } from "../connection/context.ts";

const noun = nounOf("conversations.list", {
  many: "conversations",
  one: "conversation",
  open: connect,
});

/** Conversations that are listed by default. */
const NEWEST = 20;

// Titles are not names: they repeat, and change.
const common = { find, by: "id" } as const;

/** Makes the commands about conversations. */
export const createConversationAdministration = (context: Context) =>
  group("conversations", "conversations that your key can see", [
    listCommand(context, noun, {
      about: "list the conversations, newest first",
      limit: NEWEST,
      read: ({ parley }) =>
        readPages(
          async (place) => parley.conversations.list(place),
          (page) => page.conversations,
        ),
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
      about: "rename a conversation",
      schema: z.object({ title: z.string().optional().describe("new title") }),
      call: async ({ parley }, { id }, { title }) =>
        parley.conversations.update({ conversationId: id, title }),
    }),
    actionCommand(context, noun, {
      ...common,
      name: "remove",
      about: "delete a conversation and all of its content",
      did: "removed",
      destroys: ({ id }) => `permanently delete the conversation ${id}`,
      call: async ({ parley }, { id }) => parley.conversations.delete({ conversationId: id }),
    }),
    createSummaryCommands(context),
  ]);
