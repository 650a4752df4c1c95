import { conversations, workspaces } from "@parley/db";
import { ParleyError, toStorable } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { type Core, inTransaction } from "./context.ts";
import { appendEvents } from "./events/append.ts";
import { requireModel } from "./models.ts";
import type { ConversationRow } from "./rows.ts";
import type { Turn } from "./runs/load-turns.ts";
import { deriveTitle } from "./title.ts";

/**
 * The message that a conversation could be given a better title for: its first, if this turn is the
 * first to answer it and the title is still made of its first words.
 */
export function untitledMessage({ conversation, message, history }: Turn): string | undefined {
  const asked = history.findLast(({ type }) => type === "user_message");
  const isFirst = history.every((one) => one === asked || one.type === "content_fragment");
  if (asked === undefined || !isFirst || message.version > 0) return undefined;
  // Of several agents that are asked together, the first one's turn sees to it.
  if (message.rank !== asked.rank + 1) return undefined;
  return conversation.title === deriveTitle(asked.content) ? asked.content : undefined;
}

/** Whether a workspace has enabled a model, and may use it in its region. */
export async function mayUseModel(
  { database }: Pick<Core, "database">,
  workspaceId: number,
  pair: { readonly providerId: string; readonly modelId: string },
): Promise<boolean> {
  const [workspace] = await database.db
    .select()
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId));
  if (workspace === undefined) return false;
  try {
    requireModel(workspace, pair);
    return true;
  } catch (error) {
    if (error instanceof ParleyError) return false;
    throw error;
  }
}

/**
 * Gives a conversation a title that was made for it, on one line of at most 80 characters, and tells
 * its followers; nothing changes where somebody has given it another one meanwhile.
 */
export async function giveMadeTitle(
  core: Core,
  { id, sid, title: before }: Pick<ConversationRow, "id" | "sid" | "title">,
  made: string,
): Promise<void> {
  const title = deriveTitle(toStorable(made));
  await inTransaction(core, async ({ db, afterCommit }) => {
    const changed = await db
      .update(conversations)
      .set({ title })
      .where(and(eq(conversations.id, id), eq(conversations.title, before)))
      .returning({ id: conversations.id });
    if (changed.length === 0) return;
    const event = { type: "conversation_title", created: core.now(), title } as const;
    await appendEvents(db, [{ logId: sid, events: [event] }], afterCommit);
  });
}
