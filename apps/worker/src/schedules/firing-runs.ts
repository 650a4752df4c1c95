import {
  beginFiring,
  claimFirings,
  type ClaimedRun,
  type Core,
  dropOrphan,
  type Firing,
  heldOfWorkspaces,
  launch,
  settleFiring,
  type SettledFiring,
} from "@parley/core";
import { errorTable, ParleyError } from "@parley/schema";
import type { Persistence } from "../runs/outage.ts";
import type { RunKind } from "../runs/run-kind.ts";

/** Firings of a workspace that a worker holds at once. */
const PER_WORKSPACE = 4;
/** How often a firing looks whether the one before has ended. */
const WAIT_MS = 5000;
/** Times between the attempts of a firing that the server had no room for: a quarter of an hour in all. */
const RETRY_DELAYS_MS: readonly number[] = [1000, 5000, 30_000, 120_000, 300_000, 450_000];

interface FiringServices {
  readonly core: Core;
  readonly persistence: Persistence;
}

type Fired = Firing & { readonly run: ClaimedRun };

/** What follows from an attempt that the server has refused. Throws what is no refusal. */
function judge(error: unknown, attempts: number): SettledFiring {
  if (!(error instanceof ParleyError)) throw error;
  const { type, message } = error;
  const reason = `${type}: ${message}`;
  const againAfterMs = errorTable[type].retryable ? RETRY_DELAYS_MS[attempts] : undefined;
  if (againAfterMs === undefined) return { status: "failed", reason };
  return { status: "waiting", reason, againAfterMs, hasFailed: true };
}

async function start(
  { core, persistence }: FiringServices,
  { run, firing, schedule }: Fired,
  signal: AbortSignal,
): Promise<SettledFiring> {
  if (run.exhausted) return { status: "failed", reason: "The workers that started it ended" };
  const { name, timezone, apiKeyId } = schedule;
  try {
    const launched = await persistence.retry(run, signal, () =>
      launch(core, {
        apiKeyId,
        launch: schedule.launch,
        author: { name, timezone },
        key: firing.sid,
        origin: { requestId: firing.sid, traceparent: undefined, depth: 0 },
        signal,
      }),
    );
    if (launched !== undefined) return { status: "started", launched };
  } catch (error) {
    return judge(error, firing.attempts);
  }
  const reason = "The key of the schedule is no longer valid";
  return { status: "failed", reason, isKeyGone: true };
}

/** Begins a claimed firing, and starts what it starts: `started`, `skipped`, `failed` or `suspended` until it can. */
async function execute(
  services: FiringServices,
  fired: Fired,
  signal: AbortSignal,
): Promise<string> {
  const { core, persistence } = services;
  const { run } = fired;
  const begun = await persistence.retry(run, signal, () => beginFiring(core, fired));
  if (begun === "ended") return "skipped";
  const end: SettledFiring =
    begun === "start"
      ? await start(services, fired, signal)
      : {
          status: "waiting",
          reason: "It waits for the firing before",
          againAfterMs: WAIT_MS,
          hasFailed: false,
        };
  await persistence.retry(run, signal, () => settleFiring(core, { ...fired, end }));
  return end.status === "waiting" ? "suspended" : end.status;
}

/** Runs that start what schedules start. */
export function createFiringRuns(services: FiringServices): RunKind {
  const { core, persistence } = services;
  return {
    perWorkspace: PER_WORKSPACE,
    // Their logs have no events.
    writer: { release: () => {}, waitingSince: () => undefined },
    claim: async ({ held, ...request }) => {
      const counts = heldOfWorkspaces(held);
      return claimFirings(core, { ...request, held: counts, perWorkspace: PER_WORKSPACE });
    },
    execute: async (run, signal) => {
      // A claim gives it unless it, or its schedule, was deleted.
      const subject = run.subject as Firing | null;
      if (subject !== null) return execute(services, { run, ...subject }, signal);
      await persistence.retry(run, signal, () => dropOrphan(core, run));
      return "deleted";
    },
  };
}
