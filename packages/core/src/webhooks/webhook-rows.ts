import { type Queryable, webhooks } from "@parley/db";
import { invalidRequest, ParleyError, type Webhook } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

/** A webhook as the wire shows it: without its secrets. */
export function renderWebhook(row: WebhookRow): Webhook {
  const { sid: sId, url, description, events, conversationIds, agentIds, functionIds } = row;
  const { sendsContent, isOrdered, isPulled, disabledFor, disabledAt, failingSince, version } = row;
  const { createdAt, updatedAt, previousSecretUntil } = row;
  const filters = { events, conversationIds, agentIds, functionIds };
  const state = { disabledFor, disabledAt, failingSince, previousSecretUntil };
  const times = { createdAt, updatedAt };
  return {
    sId,
    url,
    description,
    ...filters,
    sendsContent,
    isOrdered,
    isPulled,
    ...state,
    version,
    ...times,
  };
}

/** A webhook that a request names, with its workspace. Throws `webhook_not_found`. */
export async function requireWebhook(
  context: RequestContext,
  db: Queryable,
  { wId, webhookId }: { wId: string; webhookId: string },
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<{ row: WebhookRow; workspace: WorkspaceRow }> {
  const workspace = await administeredWorkspace(context, db, wId);
  const query = db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.workspaceId, workspace.id), eq(webhooks.sid, webhookId)));
  const [row] = await (isLocked ? query.for("no key update") : query);
  if (row !== undefined) return { row, workspace };
  throw new ParleyError("webhook_not_found", "webhookId: the workspace has no such webhook");
}

/** Throws `invalid_request_error` for a webhook that is switched off: what is sent to it would only fail. */
export function requireEnabled({ disabledFor }: WebhookRow): void {
  if (disabledFor === null) return;
  throw invalidRequest("path", [
    { path: "webhookId", message: "the webhook is switched off: switch it on first" },
  ]);
}
