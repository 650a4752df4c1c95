import {
  claimWebRefreshes,
  type Core,
  dropOrphan,
  failRefresh,
  heldOfWorkspaces,
  nextWebPage,
  type Refresh,
  settleRefresh,
  settleWebPage,
  type WebSourceRow,
} from "@parley/core";
import { createGuard, type Guard } from "@parley/guarded-fetch";
import type { Persistence } from "../runs/outage.ts";
import type { RunKind } from "../runs/run-kind.ts";
import { readPage } from "./read-page.ts";
import { readRobots } from "./robots.ts";
import type { WebMetrics } from "./web-metrics.ts";

/** Web sources of a workspace that a worker reads at once. */
const PER_WORKSPACE = 2;
/** Those with slow servers leave their places to others. */
const KEEPS_PLACE_MS = 10_000;

interface RefreshServices {
  readonly core: Core;
  readonly persistence: Persistence;
  readonly guard: Guard;
  readonly metrics: WebMetrics;
}

/** Reads the pages of a web source one after the other: `succeeded`, or `failed` if reading could not begin. */
async function execute(
  { core, persistence, guard, metrics }: RefreshServices,
  refresh: Refresh,
  signal: AbortSignal,
): Promise<string> {
  const { run } = refresh;
  const persist = <T>(work: () => Promise<T>) => persistence.retry(run, signal, work);
  const fail = async (failure: string) => {
    await persist(() => failRefresh(core, refresh, failure));
    return "failed";
  };
  if (run.exhausted) return fail("The workers that read it ended");
  const robots = await readRobots({ core, guard, refresh, signal });
  if ("failure" in robots) return fail(robots.failure);
  for (;;) {
    // oxlint-disable no-await-in-loop -- page after page
    signal.throwIfAborted();
    const page = await persist(() => nextWebPage(core, refresh));
    if (page === undefined) {
      const settled = await persist(() => settleRefresh(core, refresh));
      if (settled !== "more") return settled;
      continue;
    }
    const end = await readPage({ core, guard, robots, refresh, page, signal });
    await persist(() => settleWebPage(core, refresh, { page, end }));
    metrics.ended(end.outcome);
    // oxlint-enable no-await-in-loop
  }
}

/** Runs that read web sources again. */
export function createRefreshRuns({
  allowedHosts,
  ...parts
}: Omit<RefreshServices, "guard"> & { readonly allowedHosts: readonly string[] }): RunKind {
  const { core, persistence } = parts;
  const services = { ...parts, guard: createGuard({ allowedHosts }) };
  return {
    perWorkspace: PER_WORKSPACE,
    keepsPlaceMs: KEEPS_PLACE_MS,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: async ({ held, ...request }) => {
      const counts = heldOfWorkspaces(held);
      return claimWebRefreshes(core, { ...request, held: counts, perWorkspace: PER_WORKSPACE });
    },
    execute: async (run, signal) => {
      // A claim gives it unless it was deleted.
      const source = run.subject as WebSourceRow | null;
      if (source !== null) return execute(services, { run, source }, signal);
      await persistence.retry(run, signal, () => dropOrphan(core, run));
      return "deleted";
    },
  };
}
