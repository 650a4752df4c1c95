import type { ConversationSummary, WorkspaceRole } from "@parley/schema";
import type { Context } from "../context.ts";
import type { ConversationRow } from "../data-access/rows.ts";
import { renderWorkspace } from "../workspaces/workspaces.ts";

/**
 * A conversation without its messages as the wire shows it. `lastActivityAt` is when something last
 * happened in it, an agent's answer included; `actionRequired`, whether a call waits for approval.
 */
export function renderConversation(
  context: Context,
  row: Omit<ConversationRow, "position">,
  {
    lastActivityAt = row.updatedAt,
    actionRequired = false,
  }: { lastActivityAt?: number; actionRequired?: boolean } = {},
): ConversationSummary {
  const { workspace, apiKey } = context.caller;
  const updated = Math.max(row.updatedAt, lastActivityAt);
  return {
    id: row.id,
    sId: row.sid,
    created: row.createdAt,
    updated,
    owner: renderWorkspace(workspace, apiKey.role as WorkspaceRole),
    title: row.title,
    visibility: row.visibility as "unlisted",
    unread: updated > row.readAt,
    actionRequired,
    url: `${context.publicUrl}/w/${workspace.sid}/conversation/${row.sid}`,
    requestedGroupIds: [],
  };
}
