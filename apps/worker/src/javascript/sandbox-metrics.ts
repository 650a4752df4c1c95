import type { Boundary, SandboxState } from "@parley/sandbox";
import { Counter, Gauge, type Registry } from "prom-client";

/** Registers the metrics of a sandbox, which has none of its processes until code is executed. */
export function registerSandboxMetrics(
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
