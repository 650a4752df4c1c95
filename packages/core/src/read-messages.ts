import { actions, messages, type Queryable, users } from "@parley/db";
import { and, asc, eq, inArray } from "drizzle-orm";
import { findAgentVersions } from "./agents.ts";
import type { Context } from "./context.ts";
import type { MessageReferences } from "./messages.ts";
import type { ActionRow, MessageRow } from "./rows.ts";

export interface ReadMessages {
  /** By position and version. */
  readonly messages: MessageRow[];
  /** Tool calls in order, by the number of their message. */
  readonly actions: Map<number, ActionRow[]>;
}

/** Reads the messages of a conversation with their tool calls. */
export async function readMessages(db: Queryable, conversationId: number): Promise<ReadMessages> {
  const rows = await db
    .select()
    .from(messages)
    .leftJoin(actions, eq(actions.messageId, messages.id))
    .where(eq(messages.conversationId, conversationId))
    .orderBy(asc(messages.rank), asc(messages.version), asc(actions.step), asc(actions.position));
  const found = new Map<number, MessageRow>();
  const ofMessages = new Map<number, ActionRow[]>();
  for (const { messages: message, actions: action } of rows) {
    found.set(message.id, message);
    if (action !== null) ofMessages.getOrInsert(message.id, []).push(action);
  }
  return { messages: [...found.values()], actions: ofMessages };
}

/** Reads what messages refer to, so that they can be rendered. */
export async function readReferences(
  db: Queryable,
  context: Context,
  read: ReadMessages,
): Promise<MessageReferences> {
  const { workspace } = context.caller;
  const userIds = new Set(read.messages.flatMap((message) => message.userId ?? []));
  const agentIds = read.messages.flatMap((message) => message.agentId ?? []);
  const rows =
    userIds.size === 0
      ? []
      : await db
          .select()
          .from(users)
          .where(and(eq(users.workspaceId, workspace.id), inArray(users.id, [...userIds])));
  return {
    users: new Map(rows.map((row) => [row.id, row])),
    agents: await findAgentVersions(db, workspace.id, agentIds),
    actions: read.actions,
    fileUrl: fileUrl(context),
  };
}

/** Absolute addresses of the workspace's files. */
export function fileUrl(context: Context): (fileId: string) => string {
  const { publicUrl, caller } = context;
  return (fileId) => `${publicUrl}/api/v1/w/${caller.workspace.sid}/files/${fileId}`;
}
