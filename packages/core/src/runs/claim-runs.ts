import type { Core } from "../context.ts";
import { claimInvocationsStatement } from "./claim-invocations.ts";
import { claimTurnsStatement } from "./claim-turns.ts";
import { type ClaimedRow, type ClaimedRun, MAX_CLAIMED } from "./claimed-run.ts";
import type { ClaimOptions } from "./take-over-runs.ts";

export type { ClaimedRun } from "./claimed-run.ts";
export { takeOverRuns } from "./take-over-runs.ts";
export { wakeParkedRuns } from "./wake-runs.ts";

/** What a claim brought. */
export interface Claimed {
  readonly runs: readonly ClaimedRun[];
  /** Whether runs may be left that can be claimed once some of the worker's, or of others, end. */
  readonly more: boolean;
  /** What the next claim is to be given; greater than 0 when there is more to look at. */
  readonly after: number;
}

/** Whose turn it is: the workspaces are looked at in their order, some at a claim. */
interface ClaimFrom extends ClaimOptions {
  /** `after` of the claim before; 0 at first. */
  readonly after: number;
}

/**
 * Claims turns that wait; each goes to one worker only. Those workspaces come first of which the
 * worker holds the fewest (`held`, by the workspace's number), and of none does it come to hold more
 * than `perWorkspace`; within one, the most urgent and the oldest turns come first.
 */
export async function claimTurns(
  core: Core,
  {
    held,
    ...options
  }: ClaimFrom & { readonly held: ReadonlyMap<number, number>; readonly perWorkspace: number },
): Promise<Claimed> {
  const columns = [...held].map(([workspaceId, count]) => {
    return { workspace_id: workspaceId, held: count };
  });
  const values = { ...options, held: JSON.stringify(columns) };
  return toClaimed(await claimTurnsStatement.execute(core.database.db, values));
}

/**
 * Claims invocations that wait, so many that neither a function nor a workspace (`perWorkspace`) has
 * more running than it may, whoever runs them; those of the workspace first that has the fewest.
 */
export async function claimInvocations(
  core: Core,
  options: ClaimFrom & { readonly perWorkspace: number },
): Promise<Claimed> {
  return toClaimed(await claimInvocationsStatement.execute(core.database.db, { ...options }));
}

function toClaimed(rows: readonly ClaimedRow[]): Claimed {
  const { more = false, after = 0 } = rows[0] ?? {};
  const runs = rows.filter((row): row is ClaimedRow & ClaimedRun => row.id !== null);
  return { runs: runs.map(({ more: _more, after: _after, ...run }) => run), more, after };
}

/** Claims runs of both kinds for a worker that holds none. */
export async function claimRuns(core: Core, options: ClaimOptions): Promise<ClaimedRun[]> {
  const turns = await claimTurns(core, {
    ...options,
    after: 0,
    held: new Map(),
    perWorkspace: MAX_CLAIMED,
  });
  const invocations = await claimInvocations(core, { ...options, after: 0, perWorkspace: 100 });
  return [...turns.runs, ...invocations.runs];
}
