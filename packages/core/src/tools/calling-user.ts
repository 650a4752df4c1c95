import { actions, invocations, messages } from "@parley/db";
import { and, eq } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Process } from "../context.ts";

/** The number of the user for whom an invocation calls a tool: who wrote what is answered; null for nobody. */
export async function readCallingUser(
  { database }: Pick<Process, "database">,
  invocationId: string,
): Promise<number | null> {
  const asked = alias(messages, "asked");
  const [row] = await database.db
    .select({ userId: asked.userId })
    .from(invocations)
    .innerJoin(actions, eq(actions.id, invocations.actionId))
    .innerJoin(messages, eq(messages.id, actions.messageId))
    .innerJoin(
      asked,
      and(eq(asked.sid, messages.parentMessageId), eq(asked.workspaceId, messages.workspaceId)),
    )
    .where(eq(invocations.sid, invocationId));
  return row?.userId ?? null;
}
