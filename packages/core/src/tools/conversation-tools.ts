import { conversationTools, type Queryable, spaces, tools } from "@parley/db";
import {
  type ChangeConversationTools,
  invalidRequest,
  type ListSpaceTools,
  ParleyError,
  type SpaceTools,
  type Success,
} from "@parley/schema";
import { and, asc, eq, isNull, or } from "drizzle-orm";
import { lockConversation } from "../access/conversation-reach.ts";
import { requireSpace } from "../access/space-reach.ts";
import type { Context } from "../context.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import { inTransactionOnce, type KeyedContext } from "../idempotency.ts";
import { isReachedServer } from "./tool-administration.ts";
import { readTools } from "./tools.ts";

/** Tools of one conversation. */
const MAX_TOOLS = 16;
/** Tools in a list. */
const MAX_LISTED = 1000;

/**
 * Adds a tool to a conversation, whose agents may then call it, or takes it away. Repeating it changes
 * nothing. Throws `conversation_not_found` and `tool_not_found`, also for a tool that only skills may use, or
 * that not all readers of the conversation reach.
 */
export async function changeConversationTools(
  context: KeyedContext,
  input: ChangeConversationTools,
): Promise<Success> {
  return inTransactionOnce(context, { id: input.cId }, async ({ db }) => {
    const conversation = await lockConversation(db, context, input.cId);
    const toolId = await requireServer(db, context, {
      conversation,
      sid: input.mcp_server_view_id,
    });
    const { id: conversationId } = conversation;
    const ofConversation = eq(conversationTools.conversationId, conversationId);
    if (input.action === "delete") {
      await db
        .delete(conversationTools)
        .where(and(ofConversation, eq(conversationTools.toolId, toolId)));
      return { success: true };
    }
    await db
      .insert(conversationTools)
      .values({ conversationId, toolId, createdAt: context.now() })
      .onConflictDoNothing();
    if ((await db.$count(conversationTools, ofConversation)) > MAX_TOOLS) {
      const message = `a conversation may have ${MAX_TOOLS} tools`;
      throw invalidRequest("body", [{ path: "mcp_server_view_id", message }]);
    }
    return { success: true };
  });
}

async function requireServer(
  db: Queryable,
  { caller }: Context,
  { conversation, sid }: { conversation: Pick<ConversationRow, "spaceId">; sid: string },
): Promise<number> {
  const { spaceId } = conversation;
  const [tool] = await db
    .select({ id: tools.id })
    .from(tools)
    .innerJoin(spaces, eq(spaces.id, tools.spaceId))
    .where(
      and(
        eq(tools.workspaceId, caller.workspace.id),
        eq(tools.sid, sid),
        eq(tools.isRestrictedToSkills, false),
        isReachedServer(caller),
        isNull(spaces.deletedAt),
        or(eq(spaces.isRestricted, false), spaceId === null ? undefined : eq(spaces.id, spaceId)),
      ),
    );
  if (tool !== undefined) return tool.id;
  const message = "mcp_server_view_id: no such tool for the conversation";
  throw new ParleyError("tool_not_found", message);
}

/** Lists the tools of a space, the oldest first. Throws `space_not_found`. */
export async function listSpaceTools(
  context: Context,
  { spaceId, includeAuto = false }: ListSpaceTools,
): Promise<SpaceTools> {
  const { db } = context.database;
  const workspaceId = context.caller.workspace.id;
  const space = await requireSpace(db, context.caller, { workspaceId, sid: spaceId });
  const rows = await db
    .select({ id: tools.id })
    .from(tools)
    .where(and(eq(tools.workspaceId, workspaceId), eq(tools.spaceId, space.id)))
    .orderBy(asc(tools.id))
    .limit(MAX_LISTED);
  const ids = rows.map(({ id }) => id);
  const found = await readTools(context, db, { workspaceId, ids });
  const serverViews = ids
    .flatMap((id) => found.get(id) ?? [])
    .filter(({ server }) => includeAuto || server.availability === "manual")
    .map((tool) => ({
      ...tool,
      editedByUser: { ...tool.editedByUser, email: null, userId: null },
    }));
  return { success: true, serverViews };
}
