import { type Core, readWaitingRuns, type WaitingRuns } from "@parley/core";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** How long an answer of the database is shown, however many ask. */
const WAITING_KEPT_MS = 5000;
const WAITING = [
  { kind: "agent_turn", state: "waiting" },
  { kind: "agent_turn", state: "queued" },
  { kind: "invocation", state: "waiting" },
] as const;

/** What a process measures from its start on. */
export interface ProcessMetrics {
  readonly registry: Registry;
  /** Told how long after their commit a log's newest events reached this process's followers. */
  readonly onDelivery: (lagMs: number) => void;
  /** Told of each call that was refused because too many runs of its workspace wait. */
  readonly onRefusedRun: (kind: string) => void;
}

/** Makes the registry of a process. */
export function createProcessMetrics(): ProcessMetrics {
  const registry = new Registry();
  const lag = new Histogram({
    name: "parley_delivery_lag_seconds",
    help:
      "From the commit of events until they were handed to the followers of this process, once " +
      "for each log and batch. Where the hint was lost, from when the event happened",
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [registry],
  });
  const refused = new Counter({
    name: "parley_runs_refused_total",
    help:
      "Calls that this process refused because PARLEY_WORKSPACE_WAITING_RUNS of their workspace " +
      "wait, by the kind of run",
    labelNames: ["kind"],
    registers: [registry],
  });
  return {
    registry,
    onDelivery: (lagMs) => lag.observe(lagMs / 1000),
    onRefusedRun: (kind) => refused.inc({ kind }),
  };
}

/** Registers what is looked up when it is asked for. */
export function registerLookUps(registry: Registry, core: Core): void {
  const gauge = <Label extends string>(
    name: string,
    help: string,
    options: { labelNames?: Label[]; collect: (this: Gauge<Label>) => void | Promise<void> },
  ) => registry.registerMetric(new Gauge({ name, help, registers: [], ...options }));
  const readWaiting = keep(() => readWaitingRuns(core), WAITING_KEPT_MS);

  gauge(
    "parley_runs_waiting",
    "Runs of the server that wait: for a worker (waiting), or queued behind another of their agent " +
      "and conversation; 10,000 may be more",
    {
      labelNames: ["kind", "state"],
      async collect() {
        const waiting = await readWaiting();
        this.reset();
        if (waiting === undefined) return;
        for (const labels of WAITING) this.set(labels, find(waiting, labels)?.count ?? 0);
      },
    },
  );
  gauge("parley_runs_oldest_waiting_seconds", "Age of the oldest of the runs that wait", {
    labelNames: ["kind", "state"],
    async collect() {
      const waiting = await readWaiting();
      this.reset();
      if (waiting === undefined) return;
      for (const labels of WAITING) {
        const oldestAt = find(waiting, labels)?.oldestAt ?? core.now();
        this.set(labels, Math.max(0, core.now() - oldestAt) / 1000);
      }
    },
  });
  gauge("parley_bus_connected", "1 while hints of other processes reach this one, else 0", {
    collect() {
      this.set(core.bus.isConnected() ? 1 : 0);
    },
  });
  gauge("parley_followed_logs", "Logs that somebody in this process follows", {
    collect() {
      this.set(core.hub.count().logs);
    },
  });
  gauge("parley_database_connections", "Connections to PostgreSQL: in_use, idle", {
    labelNames: ["state"],
    collect() {
      const pool = core.database.pool();
      if (pool === undefined) return;
      this.set({ state: "in_use" }, pool.inUse);
      this.set({ state: "idle" }, pool.idle);
    },
  });
  gauge("parley_database_waiting", "Queries that wait for a connection to PostgreSQL", {
    collect() {
      const pool = core.database.pool();
      if (pool === undefined) this.remove();
      else this.set(pool.waiting);
    },
  });
  collectDefaultMetrics({ register: registry });
}

function find(
  waiting: readonly WaitingRuns[],
  labels: Pick<WaitingRuns, "kind" | "state">,
): WaitingRuns | undefined {
  return waiting.find(({ kind, state }) => kind === labels.kind && state === labels.state);
}

/** The last answer for a while; undefined where there is none, and no error stops the others. */
function keep<T>(read: () => Promise<T>, forMs: number): () => Promise<T | undefined> {
  let asked: Promise<T | undefined> | undefined;
  let askedAt = 0;
  return () => {
    if (asked === undefined || performance.now() - askedAt > forMs) {
      askedAt = performance.now();
      asked = read().catch(() => undefined);
    }
    return asked;
  };
}
