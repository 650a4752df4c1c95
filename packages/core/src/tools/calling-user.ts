import { actions, apiKeys, invocations, messages } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Process } from "../context.ts";

/**
 * The number of the user for whom an invocation calls a tool: the author of the answered message, or the user who calls it by hand;
 * null for nobody.
 */
export async function readCallingUser(
  { database }: Pick<Process, "database">,
  invocationId: string,
): Promise<number | null> {
  const asked = alias(messages, "asked");
  const [row] = await database.db
    .select({
      userId: sql<number | null>`case when ${invocations.actionId} is null
        then coalesce(${invocations.ownerId}, ${apiKeys.userId}) else ${asked.userId} end`.mapWith(
        Number,
      ),
    })
    .from(invocations)
    .leftJoin(apiKeys, eq(apiKeys.id, invocations.apiKeyId))
    .leftJoin(actions, eq(actions.id, invocations.actionId))
    .leftJoin(messages, eq(messages.id, actions.messageId))
    .leftJoin(
      asked,
      and(eq(asked.sid, messages.parentMessageId), eq(asked.workspaceId, messages.workspaceId)),
    )
    .where(eq(invocations.sid, invocationId));
  return row?.userId ?? null;
}
