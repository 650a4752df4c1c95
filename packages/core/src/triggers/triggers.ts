import { insertRow, logs, type Queryable, runs, triggerEvents, triggers } from "@parley/db";
import {
  type CreateTrigger,
  invalidRequest,
  MAX_TRIGGERS,
  type RotateTriggerSecret,
  type Success,
  type Trigger,
  type TriggerIdentity,
  type TriggerWithSecret,
  type UpdateTrigger,
  type VersionedTrigger,
} from "@parley/schema";
import { and, asc, eq, inArray } from "drizzle-orm";
import { isBuilder } from "../agents/agent-editors.ts";
import type { RequestContext } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import type { CodeServices } from "../functions/programs.ts";
import { actingCaller } from "../launches/acting-caller.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { prepareMapping } from "./prepare-mapping.ts";
import { requireTarget } from "./require-target.ts";
import {
  isEditable,
  renderTrigger,
  requireTrigger,
  selectShown,
  triggerUrl,
} from "./trigger-rows.ts";
import { makeTriggerSecret } from "./trigger-secrets.ts";

/** Lists the triggers of a workspace that the caller may change, the oldest first, a page at a time. */
export async function listTriggers(
  context: RequestContext,
  input: PageOf,
): Promise<{ triggers: Trigger[] } & PageEnd> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await selectShown(db)
    .where(
      and(
        eq(triggers.workspaceId, workspace.id),
        isEditable(context.caller),
        isAfter(triggers.id, input),
      ),
    )
    .orderBy(asc(triggers.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  const shown = page.map((row) => renderTrigger(context, workspace, row));
  return { triggers: shown, ...end };
}

/** Reads a trigger. Throws `trigger_not_found`. */
export async function readTrigger(
  context: RequestContext,
  input: TriggerIdentity,
): Promise<{ trigger: Trigger }> {
  const { row, workspace } = await requireTrigger(context, context.database.db, input);
  return { trigger: renderTrigger(context, workspace, row) };
}

/**
 * Creates a trigger: events that are sent to its URL from now on start its target. Throws `agent_not_found`,
 * `sandbox_function_not_found`, and `invalid_request_error` for one too many, an unusable mapping or an unusable secret.
 */
export async function createTrigger(
  context: RequestContext & SecretServices & CodeServices,
  { wId, keyId, secret: given, agent, function: invoked, ...settings }: CreateTrigger,
): Promise<TriggerWithSecret> {
  const acting = await actingCaller(context, { wId, keyId });
  const target = await requireTarget(context, acting, { agent, function: invoked });
  const prepared = await prepareMapping(context, settings);
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, wId);
    await requireRoom(db, workspace.id);
    const sid = context.newId("trg");
    const { secret, stored } = makeTriggerSecret(context, { sid, source: settings.source, given });
    const createdAt = context.now();
    const row = await insertRow(db, triggers, {
      ...settings,
      target,
      apiKeyId: acting.apiKey.id,
      mapping: prepared.mapping ?? null,
      sid,
      workspaceId: workspace.id,
      secret: stored,
      createdAt,
      updatedAt: createdAt,
    });
    markCreated(sid);
    return showSecret(context, workspace, {
      row: { ...row, lastEventAt: null, keySid: acting.apiKey.sid },
      secret,
    });
  });
}

function showSecret(
  context: RequestContext,
  workspace: Parameters<typeof renderTrigger>[1],
  { row, secret }: { row: Parameters<typeof renderTrigger>[2]; secret: string },
): TriggerWithSecret {
  const trigger = renderTrigger(context, workspace, row);
  const url = triggerUrl(context, workspace, row);
  return { trigger, secret, url: row.source.type === "url" ? `${url}/${secret}` : url };
}

async function requireRoom(db: Queryable, workspaceId: number): Promise<void> {
  if ((await db.$count(triggers, eq(triggers.workspaceId, workspaceId))) < MAX_TRIGGERS) return;
  const message = `the workspace has ${MAX_TRIGGERS} triggers: remove some`;
  throw invalidRequest("body", [{ path: "", message }]);
}

/**
 * Changes a trigger, from the next event on; events that wait start what it then says. Throws like `createTrigger`,
 * `trigger_not_found`, and `version_conflict` if it was changed since the named version.
 */
export async function updateTrigger(
  context: RequestContext & CodeServices,
  input: UpdateTrigger,
): Promise<{ trigger: Trigger }> {
  const { wId, triggerId, version: expected, isEnabled, mapping, keyId, ...others } = input;
  const { agent, function: invoked, ...changes } = others;
  const named = { wId, triggerId };
  const { row: before } = await requireTrigger(context, context.database.db, named);
  const isRetargeted = (agent ?? invoked) !== undefined;
  const isActing = isBuilder(context.caller) || keyId !== undefined || isRetargeted;
  const keys = { wId, keyId, storedId: before.apiKeyId };
  const acting = isActing ? await actingCaller(context, keys) : undefined;
  const wanted = isRetargeted ? { agent, function: invoked } : before.target;
  const target =
    acting === undefined ? before.target : await requireTarget(context, acting, wanted);
  const prepared = await prepareMapping(context, { mapping, ...changes });
  return inTransaction(context, async ({ db }) => {
    const { row, workspace } = await requireTrigger(context, db, named, { isLocked: true });
    requireVersion("trigger", row, expected);
    const now = context.now();
    const state =
      isEnabled === undefined || isEnabled === (row.disabledFor === null)
        ? {}
        : isEnabled
          ? { disabledFor: null, disabledAt: null, failingSince: null }
          : { disabledFor: "request" as const, disabledAt: now };
    const [changed] = await db
      .update(triggers)
      .set({
        ...changes,
        ...prepared,
        ...state,
        target,
        ...(acting !== undefined && { apiKeyId: acting.apiKey.id }),
        version: row.version + 1,
        updatedAt: now,
      })
      .where(eq(triggers.id, row.id))
      .returning();
    return {
      trigger: renderTrigger(context, workspace, {
        ...row,
        ...changed,
        ...(acting !== undefined && { keySid: acting.apiKey.sid }),
      }),
    };
  });
}

/** Removes a trigger with what it has received; what that has started stays. Throws like `updateTrigger`. */
export async function removeTrigger(
  context: RequestContext,
  { version, ...named }: VersionedTrigger,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const { row } = await requireTrigger(context, db, named, { isLocked: true });
    requireVersion("trigger", row, version);
    await deleteEventsOf(db, [row.id]);
    await db.delete(triggers).where(eq(triggers.id, row.id));
    return { success: true };
  });
}

/** Deletes what triggers have received, waiting or not. */
async function deleteEventsOf(db: Queryable, ids: readonly number[]): Promise<void> {
  const ofRuns = db.select({ id: runs.logId }).from(runs).where(inArray(runs.triggerId, ids));
  await db.delete(logs).where(inArray(logs.id, ofRuns));
  await db.delete(runs).where(inArray(runs.triggerId, ids));
  await db.delete(triggerEvents).where(inArray(triggerEvents.triggerId, ids));
}

/** Deletes the triggers of a workspace that is being deleted. */
export async function deleteTriggers(db: Queryable, workspaceId: number): Promise<void> {
  const found = await db
    .select({ id: triggers.id })
    .from(triggers)
    .where(eq(triggers.workspaceId, workspaceId));
  if (found.length === 0) return;
  await deleteEventsOf(
    db,
    found.map(({ id }) => id),
  );
  await db.delete(triggers).where(eq(triggers.workspaceId, workspaceId));
}

/**
 * Gives a trigger a new secret, which the response alone shows; the one before is accepted too for `overlapSeconds`. Throws
 * `trigger_not_found`, and `invalid_request_error` for an unusable secret.
 */
export async function rotateTriggerSecret(
  context: RequestContext & SecretServices,
  { overlapSeconds, secret: given, ...named }: RotateTriggerSecret,
): Promise<TriggerWithSecret> {
  return inTransaction(context, async ({ db }) => {
    const { row, workspace } = await requireTrigger(context, db, named, { isLocked: true });
    const { sid, source } = row;
    const { secret, stored } = makeTriggerSecret(context, { sid, source, given });
    const updatedAt = context.now();
    const previous =
      overlapSeconds === 0
        ? { previousSecret: null, previousSecretUntil: null }
        : { previousSecret: row.secret, previousSecretUntil: updatedAt + overlapSeconds * 1000 };
    const [changed] = await db
      .update(triggers)
      .set({ secret: stored, ...previous, version: row.version + 1, updatedAt })
      .where(eq(triggers.id, row.id))
      .returning();
    return showSecret(context, workspace, { row: { ...row, ...changed }, secret });
  });
}
