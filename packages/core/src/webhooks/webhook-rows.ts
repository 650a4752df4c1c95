import { type Queryable, webhooks } from "@parley/db";
import { invalidRequest, ParleyError, type Webhook } from "@parley/schema";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { editsAgent, isBuilder, requireEditor } from "../agents/agent-editors.ts";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

/** A webhook as the wire shows it: without its secrets. */
export function renderWebhook(row: WebhookRow): Webhook {
  const { sid: sId, url, description, events, conversationIds, agentIds, functionIds } = row;
  const { sendsContent, isOrdered, isPulled, disabledFor, disabledAt, failingSince, version } = row;
  const { createdAt, updatedAt, previousSecretUntil, includesTasks } = row;
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
    includesTasks,
    isPulled,
    ...state,
    version,
    ...times,
  };
}

/** The condition that the caller manages a webhook: an admin all; a builder those of agents alone that the builder edits. */
export function managesWebhook({ caller }: RequestContext): SQL | undefined {
  if (!isBuilder(caller)) return undefined;
  const edits = editsAgent(caller, { workspaceId: webhooks.workspaceId, agentSid: sql`named.sid` });
  const { agentIds } = webhooks;
  return sql`${agentIds} is not null
    and not exists (select from unnest(${agentIds}) named(sid) where not ${edits})`;
}

/** Throws `app_auth_error` unless the caller may set a webhook of these agents: builders name agents that they edit. */
export async function requireAgents(
  { caller }: RequestContext,
  db: Queryable,
  agentIds: readonly string[] | null | undefined,
): Promise<void> {
  if (!isBuilder(caller)) return;
  if (!agentIds) {
    const message = "agentIds: only admins may set a webhook that is not about named agents alone";
    throw new ParleyError("app_auth_error", message);
  }
  await requireEditor(db, caller, { agentSids: agentIds, member: "agentIds" });
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
    .where(
      and(
        eq(webhooks.workspaceId, workspace.id),
        eq(webhooks.sid, webhookId),
        managesWebhook(context),
      ),
    );
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
