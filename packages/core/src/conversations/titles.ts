import { conversations } from "@parley/db";
import { toStorable } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { TEMPORARY } from "../access/conversation-reach.ts";
import type { Process } from "../context.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import { appendEvents } from "../log/append.ts";
import { inTransaction } from "../log/transaction.ts";
import { type BilledCall, writeUsage } from "../usage/usage-ledger.ts";
import type { HistoryRow, Turn } from "../turns/load-turns.ts";

const MAX_CHARACTERS = 80;

/** The first words of a message: a title of at most 80 characters, on one line, never empty. */
export function deriveTitle(content: string): string {
  const line = cut(content, 1000).replaceAll(/\s+/g, " ").trim();
  if (line === "") return "New conversation";
  if (line.length <= MAX_CHARACTERS) return line.toWellFormed();
  const lastSpace = line.lastIndexOf(" ", MAX_CHARACTERS - 1);
  const words = lastSpace > 0 ? line.slice(0, lastSpace) : cut(line, MAX_CHARACTERS - 1);
  return `${words}…`.toWellFormed();
}

/** The first characters of a text, without half a surrogate pair. */
function cut(text: string, characters: number): string {
  return text.slice(0, characters).replace(/[\uD800-\uDBFF]$/, "");
}

/** What of a turn decides whether its conversation still lacks a title of its own. */
export interface UntitledTurn {
  readonly conversation: Pick<Turn["conversation"], "title" | "visibility" | "depth">;
  readonly message: Pick<Turn["message"], "rank" | "version">;
  readonly history: readonly Pick<HistoryRow, "type" | "rank" | "content">[];
}

/**
 * The message to derive a better title from: the conversation's first, if this turn is the first to
 * answer it and the title is still its first words. None of a temporary conversation and a task, whose titles nobody sees.
 */
export function untitledMessage({
  conversation,
  message,
  history,
}: UntitledTurn): string | undefined {
  if (conversation.visibility === TEMPORARY || conversation.depth > 0) return undefined;
  const asked = history.findLast(({ type }) => type === "user_message");
  const isFirst = history.every((one) => one === asked || one.type === "content_fragment");
  if (asked === undefined || !isFirst || message.version > 0) return undefined;
  // If several agents are mentioned, the first one's turn does it.
  if (message.rank !== asked.rank + 1) return undefined;
  return conversation.title === deriveTitle(asked.content) ? asked.content : undefined;
}

/**
 * Sets the generated title of a conversation, on one line of at most 80 characters, and notifies its
 * followers; writes what it was billed with it. The title stays if the title has been changed in the meantime.
 */
export async function giveMadeTitle(
  core: Process,
  { id, sid, title: before }: Pick<ConversationRow, "id" | "sid" | "title">,
  generated: string,
  usage: readonly BilledCall[] = [],
): Promise<void> {
  const title = deriveTitle(toStorable(generated));
  await inTransaction(core, async ({ db, afterCommit }) => {
    const changed = await db
      .update(conversations)
      .set({ title })
      .where(and(eq(conversations.id, id), eq(conversations.title, before)))
      .returning({ id: conversations.id });
    await writeUsage(db, usage);
    if (changed.length === 0) return;
    const event = { type: "conversation_title", created: core.now(), title } as const;
    await appendEvents(db, [{ logId: sid, events: [event] }], afterCommit);
  });
}
