import { type Queryable, traceDestinations } from "@parley/db";
import { ParleyError, type TraceDestination } from "@parley/schema";
import { and, eq, not } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";

export type TraceDestinationRow = typeof traceDestinations.$inferSelect;

/** A destination as the wire shows it: without the values of its headers. */
export function renderDestination(row: TraceDestinationRow): TraceDestination {
  const { sid: sId, name, url, encoding, headerNames, sendsContent, percent, slowMs } = row;
  const { isEnabled, exportedUntil, failingSince, lastAttempt, againFrom, againTo } = row;
  const { sentSpans, rejectedSpans, skippedRuns, version, createdAt, updatedAt } = row;
  const exporting =
    againFrom === null || againTo === null ? null : { from: againFrom, to: againTo };
  return {
    sId,
    name,
    url,
    encoding,
    headerNames,
    sendsContent,
    percent,
    slowMs,
    isEnabled,
    exportedUntil,
    failingSince,
    lastAttempt,
    sentSpans,
    rejectedSpans,
    skippedRuns,
    exporting,
    version,
    createdAt,
    updatedAt,
  };
}

/** The condition that a destination is a workspace's own, which its admins see; the server's is its operator's. */
export const isOfWorkspace = (workspaceId: number) =>
  and(eq(traceDestinations.workspaceId, workspaceId), not(traceDestinations.isOfServer));

/** A destination that a request names, with its workspace. Throws `trace_destination_not_found`. */
export async function requireDestination(
  context: RequestContext,
  db: Queryable,
  { wId, traceDestinationId }: { wId: string; traceDestinationId: string },
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<{ row: TraceDestinationRow; workspace: WorkspaceRow }> {
  const workspace = await administeredWorkspace(context, db, wId);
  const query = db
    .select()
    .from(traceDestinations)
    .where(and(isOfWorkspace(workspace.id), eq(traceDestinations.sid, traceDestinationId)));
  const [row] = await (isLocked ? query.for("no key update") : query);
  if (row !== undefined) return { row, workspace };
  const message = "traceDestinationId: the workspace has no such trace destination";
  throw new ParleyError("trace_destination_not_found", message);
}
