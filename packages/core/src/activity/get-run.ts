import { invocations, type Queryable, runs } from "@parley/db";
import { ParleyError, type RunDetails, type RunIdentity } from "@parley/schema";
import { and, eq, sql } from "drizzle-orm";
import { seesAllOfWorkspace } from "../access/ownership.ts";
import type { RequestContext } from "../context.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { type LookedRun, renderRun, runsStatement, selectRuns } from "./select-runs.ts";

const findRun = runsStatement<{ ofWorkspace: number; runId: string }>("find_run", (caller) =>
  selectRuns(
    caller,
    and(
      eq(runs.workspaceId, sql.placeholder("ofWorkspace")),
      eq(runs.logId, sql.placeholder("runId")),
    ),
  ),
);

/** A run that the caller reaches, by its id. Throws `run_not_found`. */
export async function requireRun(
  context: RequestContext,
  db: Queryable,
  input: RunIdentity,
): Promise<LookedRun> {
  const { caller } = context;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const named = { ofWorkspace: workspace.id, runId: input.runId };
  const [row] = await findRun(db, caller, named);
  // The scope of invocations does not open conversations.
  const { scopes } = (caller.kind === "workspace" && caller.userToken) || {};
  const isOpen =
    (row?.kind !== "turn" && row?.kind !== "compaction") ||
    (scopes?.has("conversations:read") ?? true);
  if (row?.isReached === true && isOpen) return row;
  throw new ParleyError("run_not_found", "runId: the workspace has no such run");
}

/**
 * Reads a run with its input, and for builders, admins and operators with what the model's provider said. Throws
 * `run_not_found`, also if the caller does not reach it.
 */
export async function getRun(context: RequestContext, input: RunIdentity): Promise<RunDetails> {
  const { db } = context.database;
  const row = await requireRun(context, db, input);
  const run = renderRun(row);
  if (row.kind === "compaction") return { ...run, input: null };
  if (row.kind === "turn") {
    return { ...run, input: null, ...(await readProviderError(context, row)) };
  }
  const [invocation] = await db
    .select({ input: invocations.input })
    .from(invocations)
    .where(eq(invocations.sid, row.id));
  return { ...run, input: JSON.parse(invocation?.input ?? "null") as unknown };
}

/** What the provider of a failed turn said; nothing for users, also those with a token of a builder's key. */
async function readProviderError(
  { caller, database }: RequestContext,
  { id, error }: LookedRun,
): Promise<Pick<RunDetails, "providerError">> {
  // Not what the key of a token sees: its caller is a user.
  const seesAll = caller.kind === "operator" || seesAllOfWorkspace({ apiKey: caller.apiKey });
  if (!seesAll) return {};
  if (error === null) return { providerError: null };
  const { providerError, logId } = runs;
  const [said] = await database.db.select({ providerError }).from(runs).where(eq(logId, id));
  return { providerError: said?.providerError ?? null };
}
