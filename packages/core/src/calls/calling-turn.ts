import { messages, type Queryable, users } from "@parley/db";
import { and, eq } from "drizzle-orm";
import { findAgentVersions } from "../agents/agents.ts";
import type { ActionRow, AgentRow, ConversationRow, MessageRow } from "../data-access/rows.ts";

/** What a turn's calls need of it. */
export interface CallingTurn {
  readonly conversation: Pick<ConversationRow, "sid" | "ownerId" | "depth">;
  readonly message: MessageRow;
  readonly agent: Pick<AgentRow, "sid" | "name">;
  /** Calls of finished steps; those of the last one may be open. */
  readonly actions: readonly ActionRow[];
}

/** The user for whom an agent message makes calls: the author of the message that it answers. */
export interface AskedBy {
  readonly userId: number | null;
  readonly userSid: string | null;
  readonly timezone: string | null;
  /** Tags of documents that are not looked up for the message. */
  readonly excludedRetrievalTags: readonly string[];
}

export const askedByNobody: AskedBy = {
  userId: null,
  userSid: null,
  timezone: null,
  excludedRetrievalTags: [],
};

/** Reads the user for whom an agent message makes calls. */
export async function readAskedBy(
  db: Queryable,
  { workspaceId, parentMessageId }: MessageRow,
): Promise<AskedBy> {
  const [row] = await db
    .select({ userId: messages.userId, userSid: users.sid, context: messages.context })
    .from(messages)
    .leftJoin(users, eq(users.id, messages.userId))
    .where(and(eq(messages.sid, parentMessageId ?? ""), eq(messages.workspaceId, workspaceId)));
  if (row === undefined) return askedByNobody;
  const { userId, userSid, context } = row;
  const { timezone = null, excludedRetrievalTags = [] } = context ?? {};
  return { userId, userSid, timezone, excludedRetrievalTags };
}

/** The agent that a message is of; without id and name if that is deleted. */
export async function readAgent(
  db: Queryable,
  { workspaceId, agentId }: MessageRow,
): Promise<CallingTurn["agent"]> {
  const id = agentId ?? 0;
  return (await findAgentVersions(db, workspaceId, [id])).get(id) ?? { sid: "", name: "" };
}
