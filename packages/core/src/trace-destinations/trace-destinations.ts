import { insertRow, logs, type Queryable, runs, traceDestinations } from "@parley/db";
import {
  type AdministeredTraceDestination,
  type CreateTraceDestination,
  type ExportTraces,
  invalidRequest,
  MAX_TRACE_DESTINATIONS,
  MAX_TRACE_EXPORT_MS,
  type Success,
  type TraceDestination,
  type TraceDestinationIdentity,
  type UpdateTraceDestination,
  type VersionedTraceDestination,
} from "@parley/schema";
import { and, asc, eq, inArray, type SQL } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace, requireVersion } from "../workspaces/administered-workspace.ts";
import type { SecretServices } from "../workspaces/secret-box.ts";
import { sealDestinationHeaders } from "./destination-headers.ts";
import {
  isOfWorkspace,
  renderDestination,
  requireDestination,
  type TraceDestinationRow,
} from "./destination-rows.ts";
import { startExportOf } from "./start-exports.ts";

/** Lists the trace destinations of a workspace, the oldest first, a page at a time. */
export async function listTraceDestinations(
  context: RequestContext,
  input: PageOf,
): Promise<{ traceDestinations: TraceDestination[] } & PageEnd> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await db
    .select()
    .from(traceDestinations)
    .where(and(isOfWorkspace(workspace.id), isAfter(traceDestinations.id, input)))
    .orderBy(asc(traceDestinations.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  return { traceDestinations: page.map(renderDestination), ...end };
}

/** Reads a trace destination. Throws `trace_destination_not_found`. */
export async function getTraceDestination(
  context: RequestContext,
  input: TraceDestinationIdentity,
): Promise<AdministeredTraceDestination> {
  const { row } = await requireDestination(context, context.database.db, input);
  return { traceDestination: renderDestination(row) };
}

/**
 * Creates a trace destination: the traces of runs that end from now on are sent to it. Throws `invalid_request_error` for
 * one too many, and for headers if the server has no key to encrypt them.
 */
export async function createTraceDestination(
  context: RequestContext & SecretServices,
  { wId, headers = {}, slowMs = null, ...settings }: CreateTraceDestination,
): Promise<AdministeredTraceDestination> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, wId);
    await requireRoom(db, workspace.id);
    const sid = context.newId("trd");
    const createdAt = context.now();
    const row = await insertRow(db, traceDestinations, {
      ...settings,
      ...sealDestinationHeaders(context, sid, headers),
      slowMs,
      sid,
      workspaceId: workspace.id,
      exportedUntil: createdAt,
      createdAt,
      updatedAt: createdAt,
    });
    markCreated(sid);
    return { traceDestination: renderDestination(row) };
  });
}

async function requireRoom(db: Queryable, workspaceId: number): Promise<void> {
  const count = await db.$count(traceDestinations, isOfWorkspace(workspaceId));
  if (count < MAX_TRACE_DESTINATIONS) return;
  const message = `the workspace has ${MAX_TRACE_DESTINATIONS} trace destinations: remove some`;
  throw invalidRequest("body", [{ path: "", message }]);
}

/**
 * Changes a trace destination, from the next batch on. Switched on, it is sent what ends from then on. Throws
 * `trace_destination_not_found`, `version_conflict` if it was changed since the named version, and
 * `invalid_request_error` for a URL of another server without headers for it: a secret is sent where it was meant for.
 */
export async function updateTraceDestination(
  context: RequestContext & SecretServices,
  input: UpdateTraceDestination,
): Promise<AdministeredTraceDestination> {
  const { wId, traceDestinationId, version, headers, ...changes } = input;
  return inTransaction(context, async ({ db }) => {
    const named = { wId, traceDestinationId };
    const { row } = await requireDestination(context, db, named, { isLocked: true });
    requireVersion("trace destination", row, version);
    if (headers === undefined) requireSameServer(row, changes.url);
    const updatedAt = context.now();
    const isSwitchedOn = changes.isEnabled === true && !row.isEnabled;
    const [changed] = await db
      .update(traceDestinations)
      .set({
        ...changes,
        ...(headers !== undefined && sealDestinationHeaders(context, row.sid, headers)),
        ...(isSwitchedOn && { exportedUntil: updatedAt, exportedRunId: 0 }),
        ...(isSwitchedOn && { failingSince: null, failures: 0 }),
        version: row.version + 1,
        updatedAt,
      })
      .where(eq(traceDestinations.id, row.id))
      .returning();
    return { traceDestination: renderDestination(changed ?? row) };
  });
}

function requireSameServer({ url, headerNames }: TraceDestinationRow, given: string | undefined) {
  if (given === undefined || headerNames.length === 0) return;
  if (URL.parse(given)?.origin === URL.parse(url)?.origin) return;
  const message =
    "give the headers with a URL of another server: those of the earlier one stay there";
  throw invalidRequest("body", [{ path: "headers", message }]);
}

/** Removes a trace destination. Throws like `updateTraceDestination`. */
export async function removeTraceDestination(
  context: RequestContext,
  { version, ...named }: VersionedTraceDestination,
): Promise<Success> {
  return inTransaction(context, async ({ db }) => {
    const { row } = await requireDestination(context, db, named, { isLocked: true });
    requireVersion("trace destination", row, version);
    await deleteDestinations(db, eq(traceDestinations.id, row.id));
    return { success: true };
  });
}

/** Deletes destinations, with the runs that export to them. */
async function deleteDestinations(db: Queryable, where: SQL): Promise<void> {
  const sids = db.select({ sid: traceDestinations.sid }).from(traceDestinations).where(where);
  // The logs first, as all writers lock them.
  await db.delete(logs).where(inArray(logs.id, sids));
  await db.delete(runs).where(inArray(runs.logId, sids));
  await db.delete(traceDestinations).where(where);
}

/** Deletes the trace destinations of a workspace that is being deleted. */
export const deleteTraceDestinations = (db: Queryable, workspaceId: number): Promise<void> =>
  deleteDestinations(db, eq(traceDestinations.workspaceId, workspaceId));

/**
 * Sends a trace destination a sample, whose outcome is its last attempt. Throws `trace_destination_not_found`, and
 * `invalid_request_error` if it is switched off.
 */
export async function testTraceDestination(
  context: RequestContext,
  input: TraceDestinationIdentity,
): Promise<AdministeredTraceDestination> {
  return change(context, input, () => ({ isTestWanted: true }));
}

/**
 * Sends a trace destination again the traces of runs that ended in a period, with the same ids; a period that is being
 * sent again is replaced. Throws like `testTraceDestination`, and for a period that is empty or begins too long ago.
 */
export async function exportTraces(
  context: RequestContext,
  { from, to, ...named }: ExportTraces,
): Promise<AdministeredTraceDestination> {
  const now = context.now();
  const until = Math.min(to ?? now, now);
  if (from < now - MAX_TRACE_EXPORT_MS) refuse("from", "must be at most 31 days ago");
  if (from >= until) refuse("from", "must be before `to`, and before now");
  return change(context, named, () => ({ againFrom: from, againRunId: 0, againTo: until }));
}

function refuse(path: string, message: string): never {
  throw invalidRequest("body", [{ path, message }]);
}

async function change(
  context: RequestContext,
  named: TraceDestinationIdentity,
  changes: () => Partial<TraceDestinationRow>,
): Promise<AdministeredTraceDestination> {
  return inTransaction(context, async (transaction) => {
    const { db } = transaction;
    const { row } = await requireDestination(context, db, named, { isLocked: true });
    if (!row.isEnabled) {
      const message = "the trace destination is switched off: switch it on first";
      throw invalidRequest("path", [{ path: "traceDestinationId", message }]);
    }
    const [changed = row] = await db
      .update(traceDestinations)
      .set(changes())
      .where(eq(traceDestinations.id, row.id))
      .returning();
    await startExportOf(transaction, changed);
    return { traceDestination: renderDestination(changed) };
  });
}
