import { insertRow, logs, type Queryable, runs, webhookDeliveries, webhooks } from "@parley/db";
import {
  type CreateWebhook,
  invalidRequest,
  MAX_WEBHOOKS,
  type RotateWebhookSecret,
  type Success,
  type UpdateWebhook,
  type VersionedWebhook,
  type Webhook,
  type WebhookIdentity,
  type WebhookWithSecret,
} from "@parley/schema";
import { and, asc, eq, inArray } from "drizzle-orm";
import type { Caller, RequestContext } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { managesWebhook, renderWebhook, requireAgents, requireWebhook } from "./webhook-rows.ts";
import { makeWebhookSecret } from "./webhook-secrets.ts";

/** Lists the webhooks that the caller manages, the oldest first, a page at a time. */
export async function listWebhooks(
  context: RequestContext,
  input: PageOf,
): Promise<{ webhooks: Webhook[] } & PageEnd> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await db
    .select()
    .from(webhooks)
    .where(
      and(
        eq(webhooks.workspaceId, workspace.id),
        managesWebhook(context),
        isAfter(webhooks.id, input),
      ),
    )
    .orderBy(asc(webhooks.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  return { webhooks: page.map(renderWebhook), ...end };
}

/** Reads a webhook. Throws `webhook_not_found`. */
export async function getWebhook(
  context: RequestContext,
  input: WebhookIdentity,
): Promise<{ webhook: Webhook }> {
  const { row } = await requireWebhook(context, context.database.db, input);
  return { webhook: renderWebhook(row) };
}

/** What a webhook reaches is what the key reaches that last set it; an operator's reaches all. */
const reachOf = (caller: Caller) => ({
  apiKeyId: caller.kind === "workspace" ? caller.apiKey.id : null,
});

/**
 * Creates a webhook: what happens from now on is delivered to it. Throws `invalid_request_error` for one too many, and
 * `app_auth_error` for a builder that does not name agents that it edits.
 */
export async function createWebhook(
  context: RequestContext & SecretServices,
  { wId, ...settings }: CreateWebhook,
): Promise<WebhookWithSecret> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, wId);
    await requireRoom(db, workspace.id);
    await requireAgents(context, db, settings.agentIds);
    const sid = context.newId("whk");
    const { secret, stored } = makeWebhookSecret(context, sid);
    const createdAt = context.now();
    const row = await insertRow(db, webhooks, {
      ...settings,
      ...reachOf(context.caller),
      sid,
      workspaceId: workspace.id,
      secret: stored,
      createdAt,
      updatedAt: createdAt,
    });
    markCreated(sid);
    return { webhook: renderWebhook(row), secret };
  });
}

async function requireRoom(db: Queryable, workspaceId: number): Promise<void> {
  if ((await db.$count(webhooks, eq(webhooks.workspaceId, workspaceId))) < MAX_WEBHOOKS) return;
  const message = `the workspace has ${MAX_WEBHOOKS} webhooks: remove some`;
  throw invalidRequest("body", [{ path: "", message }]);
}

/**
 * Changes a webhook, from the next event on; deliveries that wait are sent to its new URL. Throws `webhook_not_found`, and
 * `version_conflict` if it was changed since the named version.
 */
export async function updateWebhook(
  context: RequestContext,
  input: UpdateWebhook,
): Promise<{ webhook: Webhook }> {
  const { wId, webhookId, version: expected, isEnabled, ...changes } = input;
  return inTransaction(context, async ({ db }) => {
    const { row } = await requireWebhook(context, db, { wId, webhookId }, { isLocked: true });
    requireVersion("webhook", row, expected);
    if (changes.agentIds !== undefined) await requireAgents(context, db, changes.agentIds);
    const now = context.now();
    const state =
      isEnabled === undefined || isEnabled === (row.disabledFor === null)
        ? {}
        : isEnabled
          ? { disabledFor: null, disabledAt: null, failingSince: null }
          : { disabledFor: "request" as const, disabledAt: now };
    const [changed] = await db
      .update(webhooks)
      .set({
        ...changes,
        ...state,
        ...reachOf(context.caller),
        version: row.version + 1,
        updatedAt: now,
      })
      .where(eq(webhooks.id, row.id))
      .returning();
    return { webhook: renderWebhook(changed ?? row) };
  });
}

/** Removes a webhook with its deliveries. Throws like `updateWebhook`. */
export async function removeWebhook(
  context: RequestContext,
  { version, ...named }: VersionedWebhook,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const { row } = await requireWebhook(context, db, named, { isLocked: true });
    requireVersion("webhook", row, version);
    await deleteDeliveriesOf(db, [row.id]);
    await db.delete(webhooks).where(eq(webhooks.id, row.id));
    return { success: true };
  });
}

/** Deletes the deliveries of webhooks, sent or not. */
export async function deleteDeliveriesOf(db: Queryable, ids: readonly number[]): Promise<void> {
  const ofRuns = db.select({ id: runs.logId }).from(runs).where(inArray(runs.webhookId, ids));
  await db.delete(logs).where(inArray(logs.id, ofRuns));
  await db.delete(runs).where(inArray(runs.webhookId, ids));
  await db.delete(webhookDeliveries).where(inArray(webhookDeliveries.webhookId, ids));
}

/** Deletes the webhooks of a workspace that is being deleted. */
export async function deleteWebhooks(db: Queryable, workspaceId: number): Promise<void> {
  const found = await db
    .select({ id: webhooks.id })
    .from(webhooks)
    .where(eq(webhooks.workspaceId, workspaceId));
  if (found.length === 0) return;
  await deleteDeliveriesOf(
    db,
    found.map(({ id }) => id),
  );
  await db.delete(webhooks).where(eq(webhooks.workspaceId, workspaceId));
}

/** Gives a webhook a new secret, which the response alone shows; the one before signs too for `overlapSeconds`. */
export async function rotateWebhookSecret(
  context: RequestContext & SecretServices,
  { overlapSeconds, ...named }: RotateWebhookSecret,
): Promise<WebhookWithSecret> {
  return inTransaction(context, async ({ db }) => {
    const { row } = await requireWebhook(context, db, named, { isLocked: true });
    const { secret, stored } = makeWebhookSecret(context, row.sid);
    const updatedAt = context.now();
    const previous =
      overlapSeconds === 0
        ? { previousSecret: null, previousSecretUntil: null }
        : { previousSecret: row.secret, previousSecretUntil: updatedAt + overlapSeconds * 1000 };
    const [changed] = await db
      .update(webhooks)
      .set({ secret: stored, ...previous, version: row.version + 1, updatedAt })
      .where(eq(webhooks.id, row.id))
      .returning();
    return { webhook: renderWebhook(changed ?? row), secret };
  });
}
