import { runs, workspaces } from "@parley/db";
import type { ListServerRuns, ServerRunPage } from "@parley/schema";
import { and, desc, eq, inArray, lt } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { MAX_LOOKED_AT, renderRun, selectRuns } from "./select-runs.ts";

/** Lists the runs of all workspaces for operators, the newest first, a page at a time. */
export async function listServerRuns(
  context: RequestContext,
  input: ListServerRuns,
): Promise<ServerRunPage> {
  const { db } = context.database;
  const { limit, lastValue, kind, status } = input;
  const ofPlace = lastValue === undefined ? undefined : lt(runs.id, Number(lastValue));
  // Numbers are given in the order of creation, over all workspaces.
  const looked = selectRuns(db, context, ofPlace, [desc(runs.id)]).as("looked");
  const rows = await db
    .select()
    .from(looked)
    .where(and(kind && eq(looked.kind, kind), status && eq(looked.status, status)))
    .orderBy(desc(looked.number))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  const ids = [...new Set(page.map(({ workspaceId }) => workspaceId))];
  const named = await db
    .select({ id: workspaces.id, sId: workspaces.sid, name: workspaces.name })
    .from(workspaces)
    .where(inArray(workspaces.id, ids));
  const found = page.flatMap((row) => {
    const workspace = named.find(({ id }) => id === row.workspaceId);
    // It may have been deleted since.
    if (workspace === undefined) return [];
    return [{ ...renderRun(row), workspace: { sId: workspace.sId, name: workspace.name } }];
  });
  const end = placeOf(page.at(-1));
  if (rows.length > limit) return { runs: found, hasMore: true, lastValue: end };
  const [last] = await db
    .select({ number: runs.id })
    .from(runs)
    .where(ofPlace)
    .orderBy(desc(runs.id))
    .limit(1)
    .offset(MAX_LOOKED_AT - 1);
  return { runs: found, hasMore: last !== undefined, lastValue: placeOf(last) ?? end };
}

const placeOf = (item: { readonly number: number } | undefined): string | null =>
  item === undefined ? null : String(item.number);
