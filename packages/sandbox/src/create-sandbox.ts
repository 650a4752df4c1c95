import { createGuard } from "@parley/guarded-fetch";
import { findBoundary } from "./boundary.ts";
import type { Sandbox, SandboxOptions } from "./contract.ts";
import { createPool } from "./processes/pool.ts";
import { createWatch } from "./processes/watch.ts";
import { runProgram } from "./run-program.ts";

/**
 * Creates a sandbox without any process: the first program starts one, and from then on another is kept ready.
 * Throws if the boundary that is required does not work.
 */
export async function createSandbox({
  maxProcesses,
  maxWaitingBytes,
  privateHosts,
  require,
  locateError = async ({ message }) => message,
  resolve,
}: SandboxOptions): Promise<Sandbox> {
  const confinement = await findBoundary(require);
  const { boundary } = confinement;
  const watch = createWatch();
  const onRest = watch.rest;
  const pool = createPool({ confinement, max: maxProcesses, maxWaitingBytes, onRest });
  const guard = createGuard({ allowedHosts: privateHosts, ...(resolve ? { resolve } : {}) });
  const services = { pool, guard, watch, locateError };
  return {
    run: (execution) => runProgram(services, execution),
    boundary,
    get state() {
      return { boundary, ...pool.state, cpuMs: watch.total.cpuMs };
    },
    close: () => pool.close(),
  };
}
