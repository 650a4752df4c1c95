import { boolean, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { agents } from "./agents.ts";
import { identity, milliseconds, number, reference } from "./columns.ts";
import { users, workspaces } from "./workspaces.ts";

/** What users think of answers: one row for each user and message. */
export const feedbacks = pgTable(
  "feedbacks",
  {
    id: identity(),
    workspaceId: reference(() => workspaces.id),
    // No foreign keys to the tables of the hot path.
    conversationId: number().notNull(),
    messageId: text().notNull(),
    /** The version of the agent that answered. */
    agentId: reference(() => agents.id),
    userId: reference(() => users.id),
    thumbDirection: text().$type<"up" | "down">().notNull(),
    content: text(),
    isConversationShared: boolean().notNull(),
    /** When it was last given. */
    createdAt: milliseconds().notNull(),
  },
  (table) => [
    uniqueIndex("feedbacks_by_message").on(table.messageId, table.userId),
    index("feedbacks_by_conversation").on(table.conversationId, table.id),
    index("feedbacks_by_workspace").on(table.workspaceId, table.id),
    // A version of an agent is deleted only without any.
    index("feedbacks_by_agent").on(table.agentId),
  ],
);
