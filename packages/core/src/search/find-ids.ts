import { conversations, messages } from "@parley/db";
import { type FindId, type NamedId, type NamedIds, ParleyError } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { isListed, reachesConversation } from "../access/conversation-reach.ts";
import { requireRun } from "../activity/get-run.ts";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

/** Finds out what an id is of, if the caller reaches it: a conversation, a message or an invocation. */
export async function findIds(context: RequestContext, input: FindId): Promise<NamedIds> {
  const found = await (input.id.startsWith("sfi_")
    ? findInvocation(context, input)
    : findInConversations(context, input));
  return { found };
}

async function findInvocation(context: RequestContext, { wId, id }: FindId): Promise<NamedId[]> {
  try {
    const run = await requireRun(context, context.database.db, { wId, runId: id });
    const name = run.slug ?? run.toolName ?? "";
    return [{ kind: "invocation", sId: id, name, conversationId: run.conversationId }];
  } catch (error) {
    if (error instanceof ParleyError && error.type === "run_not_found") return [];
    throw error;
  }
}

async function findInConversations(
  context: RequestContext,
  { wId, id }: FindId,
): Promise<NamedId[]> {
  const { caller, database } = context;
  const { db } = database;
  const workspace = await administeredWorkspace(context, db, wId);
  const isReached = and(
    eq(conversations.workspaceId, workspace.id),
    // Operators have no spaces.
    caller.kind === "workspace" ? reachesConversation({ caller }) : undefined,
    isListed,
  );
  const shown = { name: conversations.title, conversationId: conversations.sid };
  const [named] = await db
    .select(shown)
    .from(conversations)
    .where(and(eq(conversations.sid, id), isReached));
  if (named !== undefined) return [{ kind: "conversation", sId: id, ...named }];
  const [message] = await db
    .select(shown)
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(and(eq(messages.sid, id), isReached));
  return message === undefined ? [] : [{ kind: "message", sId: id, ...message }];
}
