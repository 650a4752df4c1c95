import { messages, type Queryable, users } from "@parley/db";
import { and, eq } from "drizzle-orm";
import type { ActionRow, AgentRow, ConversationRow, MessageRow } from "../data-access/rows.ts";

/** What a turn's calls need of it. */
export interface CallingTurn {
  readonly conversation: Pick<ConversationRow, "sid" | "ownerId">;
  readonly message: MessageRow;
  readonly agent: Pick<AgentRow, "sid" | "name">;
  /** Calls of finished steps; those of the last one may be open. */
  readonly actions: readonly ActionRow[];
}

/** The user for whom an agent message calls functions. */
export interface AskedBy {
  /** The author of the message that it answers. */
  readonly userId: number | null;
  readonly userSid: string | null;
  readonly timezone: string | null;
}

/** Reads the user for whom an agent message calls functions. */
export async function readAskedBy(
  db: Queryable,
  { workspaceId, parentMessageId }: MessageRow,
): Promise<AskedBy> {
  const [row] = await db
    .select({ userId: messages.userId, userSid: users.sid, context: messages.context })
    .from(messages)
    .leftJoin(users, eq(users.id, messages.userId))
    .where(and(eq(messages.sid, parentMessageId ?? ""), eq(messages.workspaceId, workspaceId)));
  return {
    userId: row?.userId ?? null,
    userSid: row?.userSid ?? null,
    timezone: row?.context?.timezone ?? null,
  };
}
