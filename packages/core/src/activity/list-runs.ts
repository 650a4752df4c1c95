import { runs } from "@parley/db";
import type { ListRuns, RunPage } from "@parley/schema";
import { and, desc, eq, or } from "drizzle-orm";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { placeOf, wasCreatedIn } from "./creation-order.ts";
import { MAX_LOOKED_AT, renderRun, selectRuns } from "./select-runs.ts";

/** Lists the runs of a workspace that the caller reaches, the newest first, a page at a time. */
export async function listRuns(context: RequestContext, input: ListRuns): Promise<RunPage> {
  const { db } = context.database;
  const { limit } = input;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const ofPlace = and(eq(runs.workspaceId, workspace.id), wasCreatedIn(runs, input));
  // Filters may leave few of many, so the search for a page is bounded.
  const looked = selectRuns(db, context, ofPlace).as("looked");
  const { agentId, functionId } = input;
  const rows = await db
    .select()
    .from(looked)
    .where(
      and(
        eq(looked.isReached, true),
        input.kind && eq(looked.kind, input.kind),
        input.status && eq(looked.status, input.status),
        agentId === undefined ? undefined : eq(looked.agentId, agentId),
        functionId === undefined
          ? undefined
          : and(
              eq(looked.kind, "invocation"),
              or(eq(looked.functionId, functionId), eq(looked.slug, functionId)),
            ),
      ),
    )
    .orderBy(desc(looked.createdAt), desc(looked.number))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  const found = page.map(renderRun);
  const end = page.at(-1);
  if (rows.length > limit) return { runs: found, hasMore: true, lastValue: placeOf(end) };
  const [last] = await db
    .select({ createdAt: runs.createdAt, number: runs.id })
    .from(runs)
    .where(ofPlace)
    .orderBy(desc(runs.createdAt), desc(runs.id))
    .limit(1)
    .offset(MAX_LOOKED_AT - 1);
  return { runs: found, hasMore: last !== undefined, lastValue: placeOf(last ?? end) };
}
