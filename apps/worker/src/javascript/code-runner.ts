import { availableParallelism, totalmem } from "node:os";
import type { Boundary, Sandbox, SandboxState } from "@parley/sandbox";
import type { Logger } from "pino";
import { Counter, Gauge, type Registry } from "prom-client";
import type { Threads } from "@parley/core";
import type { WorkerSettings } from "../config.ts";
import { maximaOf } from "./code-maxima.ts";
import {
  createJavaScriptExecutor,
  type JavaScriptExecutor,
  type ReadSecrets,
} from "./javascript-executor.ts";
import { locateError } from "./locate-error.ts";

/** Runs the code of functions as the settings say. */
export interface CodeRunner {
  readonly executor: JavaScriptExecutor;
  /**
   * Finds out what will hold the code of functions. Rejects if the boundary that the settings require does
   * not work.
   */
  probeSandbox(): Promise<void>;
  /** What holds the code of functions, once it was found out. */
  sandboxBoundary(): Boundary | undefined;
}

/** Makes what runs code; its sandbox is loaded and opened by the first execution. */
export function createCodeRunner({
  settings,
  logger,
  registry,
  readSecrets,
  threads,
}: {
  settings: WorkerSettings;
  logger: Logger;
  registry: Registry;
  readSecrets: ReadSecrets;
  threads: Threads;
}): CodeRunner {
  const open = async (): Promise<Sandbox> => {
    const { createSandbox } = await import("@parley/sandbox");
    return createSandbox({
      maxProcesses: settings.PARLEY_SANDBOX_PROCESSES ?? defaultProcesses(),
      maxWaitingBytes: settings.PARLEY_SANDBOX_WAITING_BYTES ?? defaultWaitingBytes(),
      privateHosts: settings.PARLEY_SANDBOX_PRIVATE_HOSTS,
      require: settings.PARLEY_SANDBOX_REQUIRE,
      locateError: (error) => locateError(threads, error),
    });
  };
  const maxima = maximaOf(settings);
  const executor = createJavaScriptExecutor({ open, maxima, readSecrets });
  let boundary: Boundary | undefined;
  registerSandboxMetrics(registry, { boundary: () => boundary, state: () => executor.state });
  return {
    executor,
    probeSandbox: async () => {
      const { findBoundary, keepsRoot } = await import("@parley/sandbox/boundary");
      const found = await findBoundary(settings.PARLEY_SANDBOX_REQUIRE);
      ({ boundary } = found);
      const isRoot = keepsRoot(found);
      const user = isRoot ? "root" : (found.user?.uid ?? "that of the server");
      logger.info({ boundary, user }, "Functions' code is isolated by this boundary");
      if (isRoot) {
        logger.warn(
          "Functions' code runs as root: run the worker as another user, or install Parley where other users can read it",
        );
      }
    },
    sandboxBoundary: () => boundary,
  };
}

/** More would take turns on the processors so often that the workspaces beside them notice. */
const defaultProcesses = (): number => Math.max(8, 4 * availableParallelism());

function defaultWaitingBytes(): number {
  // If nothing limits the process, it says 0 or more than there is.
  const limit = process.constrainedMemory();
  return Math.floor((limit > 0 ? Math.min(limit, totalmem()) : totalmem()) / 4);
}

/** Registers the metrics of a sandbox, which has none of its processes until code is executed. */
function registerSandboxMetrics(
  registry: Registry,
  read: { boundary: () => Boundary | undefined; state: () => SandboxState | undefined },
): void {
  registry.registerMetric(
    new Gauge({
      name: "parley_sandbox_boundary",
      help: "How functions' code is isolated: 1 for process or namespace",
      labelNames: ["boundary"],
      registers: [],
      collect() {
        const boundary = read.boundary();
        if (boundary !== undefined) this.set({ boundary }, 1);
      },
    }),
  );
  registry.registerMetric(
    new Gauge({
      name: "parley_sandbox_processes",
      help:
        "Processes for code: busy, parked (its code waits for a timer or an answer, or for its turn) or ready; " +
        "and executions that wait for a process",
      labelNames: ["state"],
      registers: [],
      collect() {
        const { busy = 0, parked = 0, processes = 0, waiting = 0 } = read.state() ?? {};
        this.set({ state: "busy" }, busy - parked);
        this.set({ state: "parked" }, parked);
        this.set({ state: "ready" }, processes - busy);
        this.set({ state: "waiting" }, waiting);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: "parley_sandbox_cpu_seconds_total",
      help: "Processor time used by ended executions of code, in seconds",
      registers: [],
      collect() {
        this.reset();
        this.inc((read.state()?.cpuMs ?? 0) / 1000);
      },
    }),
  );
  registry.registerMetric(
    new Counter({
      name: "parley_sandbox_killed_total",
      help:
        "Processes for code that were killed: for a limit, because what they ran was stopped, because they were " +
        "broken, or retired after use",
      labelNames: ["reason"],
      registers: [],
      collect() {
        this.reset();
        for (const [reason, count] of Object.entries(read.state()?.killed ?? {})) {
          this.inc({ reason }, count);
        }
      },
    }),
  );
}
