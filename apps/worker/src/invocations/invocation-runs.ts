import { claimInvocations, dropOrphan, finishInvocations, readLargeInvocation } from "@parley/core";
import { createRunServices, type RunKind } from "../runs/run-kind.ts";
import { executeInvocation, type InvocationServices } from "./run-invocation.ts";

export interface InvocationRunsOptions extends Omit<InvocationServices, "writer" | "finish"> {
  /** Invocations of a workspace that run at once, on all workers. */
  readonly perWorkspace: number;
}

/** Functions may wait for ten minutes: two workspaces whose functions do must leave places for others. */
const KEEPS_PLACE_MS = 1000;

/** Runs of invocations of sandbox functions. */
export function createInvocationRuns({ perWorkspace, ...options }: InvocationRunsOptions): RunKind {
  const { core, persistence } = options;
  const services: InvocationServices = {
    ...options,
    ...createRunServices(options, finishInvocations),
  };
  return {
    perWorkspace,
    keepsPlaceMs: KEEPS_PLACE_MS,
    writer: services.writer,
    claim: async ({ held: _held, ...request }) => {
      return claimInvocations(core, { ...request, perWorkspace });
    },
    execute: async (claimed, signal) => {
      const run =
        claimed.subject === null
          ? await persistence.retry(claimed, signal, () =>
              readLargeInvocation(core, claimed, signal),
            )
          : claimed;
      if (run.subject !== null) return executeInvocation(services, run, signal);
      // Its function was deleted.
      await persistence.retry(run, signal, () => dropOrphan(core, run));
      return "deleted";
    },
  };
}
