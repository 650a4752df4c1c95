import {
  type Core,
  countOpenAlerts,
  countWaitingDocuments,
  countWaitingProposals,
  readStorageSums,
  readWaitingRuns,
  type StorageSums,
  type WaitingRuns,
  waitingStates,
} from "@parley/core";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { countDroppedLines } from "../log/log-destination.ts";

/** How long the counts of the database are cached. */
const WAITING_CACHED_MS = 5000;

/** The metrics that a process collects from its start. */
export interface ProcessMetrics {
  readonly registry: Registry;
  /** Called with the time from the commit of events to their delivery to this process's followers. */
  readonly onDelivery: (lagMs: number) => void;
  /** Called for each call that was refused because too many runs of its workspace wait. */
  readonly onRefusedRun: (kind: string) => void;
  /** Called for each call that was refused because its workspace stores as much as it may. */
  readonly onRefusedStorage: () => void;
  /** Called for each time that a remote MCP server was asked for its tools, or for a token. */
  readonly onServerAsked: (asked: "tools" | "token", outcome: string) => void;
}

/** Creates the registry of a process. */
export function createProcessMetrics(): ProcessMetrics {
  const registry = new Registry();
  const lag = new Histogram({
    name: "parley_delivery_lag_seconds",
    help:
      "Time from the commit of events to their delivery to the followers of this process, once " +
      "for each log and batch; if the hint was lost, from the event itself",
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
  const full = new Counter({
    name: "parley_storage_refused_total",
    help: "Calls that this process refused because their workspace stores PARLEY_WORKSPACE_BYTES",
    registers: [registry],
  });
  const asked = new Counter({
    name: "parley_tool_servers_asked_total",
    help:
      "Times that this process asked remote MCP servers for their tools, at registrations and " +
      "refreshes, or their authorization servers for a token, by what was asked for: tools, token. " +
      "outcome: done, or why there was no answer, as in unreachable, unauthorized, timed_out",
    labelNames: ["asked", "outcome"],
    registers: [registry],
  });
  registry.registerMetric(
    new Counter({
      name: "parley_log_lines_dropped_total",
      help: "Lines that are missing in the log because standard error took none for too long",
      registers: [],
      collect() {
        this.reset();
        this.inc(countDroppedLines());
      },
    }),
  );
  return {
    registry,
    onDelivery: (lagMs) => lag.observe(lagMs / 1000),
    onRefusedRun: (kind) => refused.inc({ kind }),
    onRefusedStorage: () => full.inc(),
    onServerAsked: (what, outcome) => asked.inc({ asked: what, outcome }),
  };
}

/** Registers the metrics that are read when they are requested. */
export function registerLookUps(registry: Registry, core: Core): void {
  const gauge = <Label extends string = never>(
    name: string,
    help: string,
    collect: (this: Gauge<Label>) => void | Promise<void>,
    labelNames: Label[] = [],
  ) => registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect }));
  const readWaiting = cacheFor(() => readWaitingRuns(core), WAITING_CACHED_MS);
  const waitingGauge = (name: string, help: string, valueOf: (runs?: WaitingRuns) => number) =>
    gauge<"kind" | "state">(
      name,
      help,
      async function () {
        const waiting = await readWaiting();
        this.reset();
        if (waiting === undefined) return;
        for (const { kind, state } of waitingStates) {
          const runs = waiting.find((some) => some.kind === kind && some.state === state);
          this.set({ kind, state }, valueOf(runs));
        }
      },
      ["kind", "state"],
    );

  waitingGauge(
    "parley_runs_waiting",
    "Runs of the server that wait: for a worker (waiting), or after another of their agent and " +
      "conversation (queued); 10,000 may be more",
    (runs) => runs?.count ?? 0,
  );
  waitingGauge("parley_runs_oldest_waiting_seconds", "Age of the oldest waiting run", (runs) =>
    runs === undefined ? 0 : Math.max(0, core.now() - runs.oldestAt) / 1000,
  );
  const { limitBytes } = core.storage;
  const readStored = cacheFor(() => readStorageSums(core, { limitBytes }), WAITING_CACHED_MS);
  const storageGauge = (name: string, help: string, valueOf: (sums: StorageSums) => number) =>
    gauge(name, help, async function () {
      const sums = await readStored();
      this.reset();
      if (sums !== undefined) this.set(valueOf(sums));
    });
  storageGauge(
    "parley_stored_bytes",
    "Bytes that all workspaces store, as they were last counted, with what was written since",
    ({ bytes }) => bytes,
  );
  storageGauge(
    "parley_workspaces_full",
    "Workspaces that store PARLEY_WORKSPACE_BYTES or more",
    ({ full }) => full,
  );
  const readAlerts = cacheFor(() => countOpenAlerts(core), WAITING_CACHED_MS);
  gauge<"measure">(
    "parley_alerts_open",
    "Alerts of all workspaces that are open, by what they look at",
    async function () {
      const open = await readAlerts();
      this.reset();
      for (const { measure, count } of open ?? []) this.set({ measure }, count);
    },
    ["measure"],
  );
  const countGauge = (name: string, help: string, count: () => Promise<number>) => {
    const read = cacheFor(count, WAITING_CACHED_MS);
    gauge(name, help, async function () {
      const counted = await read();
      this.reset();
      if (counted !== undefined) this.set(counted);
    });
  };
  countGauge(
    "parley_documents_waiting",
    "Documents of data sources that are not divided into parts yet; 10,000 may be more",
    () => countWaitingDocuments(core),
  );
  countGauge(
    "parley_memory_changes_waiting",
    "Changes of shared memories that wait for a person; 10,000 may be more",
    () => countWaitingProposals(core),
  );
  gauge(
    "parley_bus_connected",
    "1 while hints of other processes reach this one, else 0",
    function () {
      this.set(core.bus.isConnected() ? 1 : 0);
    },
  );
  gauge("parley_followed_logs", "Logs that clients of this process follow", function () {
    this.set(core.hub.count().logs);
  });
  gauge(
    "parley_database_connections",
    "Connections to PostgreSQL: in_use, idle",
    function () {
      const pool = core.database.pool();
      this.set({ state: "in_use" }, pool.inUse);
      this.set({ state: "idle" }, pool.idle);
    },
    ["state"],
  );
  gauge("parley_database_waiting", "Queries that wait for a connection to PostgreSQL", function () {
    this.set(core.database.pool().waiting);
  });
  collectDefaultMetrics({ register: registry });
}

/** Caches the last result for a time; a failure gives undefined and stops no other metric. */
function cacheFor<T>(read: () => Promise<T>, forMs: number): () => Promise<T | undefined> {
  let result: Promise<T | undefined> | undefined;
  let readAt = 0;
  return () => {
    if (result === undefined || performance.now() - readAt > forMs) {
      readAt = performance.now();
      result = read().catch(() => undefined);
    }
    return result;
  };
}
