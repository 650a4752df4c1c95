import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ClaimedRun } from "@parley/core";
import { createUsageMetrics, type UsageMetrics } from "./usage-metrics.ts";

/** How a worker got a run. */
export type Acquisition = "claimed" | "taken_over";

/** How a run left a worker: finished with an outcome, or not. */
type RunExit = "lost" | "broken" | "handed_back" | { readonly outcome: string };

/** Metrics of a worker. */
export interface WorkerMetrics {
  started(run: ClaimedRun, acquisition: Acquisition): void;
  /** Counts a run that left the worker. */
  left(run: ClaimedRun, exit: RunExit): void;
  swept(what: string, count: number): void;
  sweepEnded(outcome: "done" | "failed"): void;
  /** Takes how old the newest time is up to which messages are indexed. */
  indexed(lagMs: number): void;
  readonly operations: OperationMetrics;
  readonly usage: UsageMetrics;
}

/** As OpenTelemetry recommends for generative AI. */
const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKEN_BUCKETS = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];

/** Registers the metrics of a worker. `running` counts the runs that it holds, by kind. */
export function createWorkerMetrics(
  registry: Registry,
  running: () => Iterable<readonly [kind: string, count: number]>,
): WorkerMetrics {
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers: [registry] });
  const runs = {
    claimed: counter(
      "parley_runs_claimed_total",
      "Runs that this worker claimed, or held from their creation",
      "kind",
    ),
    taken_over: counter(
      "parley_runs_taken_over_total",
      "Runs that this worker took over from one whose lease had expired",
      "kind",
    ),
    lost: counter(
      "parley_runs_lost_total",
      "Runs whose log was closed or taken over while this worker ran them",
      "kind",
    ),
    broken: counter(
      "parley_runs_broken_total",
      "Runs that this worker released after an error of its own, to be taken over",
      "kind",
    ),
    handed_back: counter(
      "parley_runs_handed_back_total",
      "Runs that this worker handed back when it stopped",
      "kind",
    ),
  };
  const finished = counter(
    "parley_runs_finished_total",
    "Runs that this worker ended: an agent_turn succeeded, failed or suspended for functions, an " +
      "invocation succeeded, suspended for its user or with the code of its error",
    "kind",
    "outcome",
  );
  registry.registerMetric(
    new Gauge({
      name: "parley_runs_running",
      help: "Runs that this worker is running",
      labelNames: ["kind"],
      registers: [],
      collect() {
        for (const [kind, count] of running()) this.set({ kind }, count);
      },
    }),
  );
  const swept = counter(
    "parley_swept_total",
    "What retention removed: logs that were compacted or trimmed, rows that were deleted",
    "what",
  );
  const sweeps = counter("parley_sweeps_total", "Retention sweeps, done or failed", "outcome");
  // Without an index it is as old as this worker, and grows.
  let indexedAt = performance.now();
  registry.registerMetric(
    new Gauge({
      name: "parley_message_index_lag_seconds",
      help: "Age of the newest time up to which the words of messages are indexed, as this worker last saw it",
      registers: [],
      collect() {
        this.set((performance.now() - indexedAt) / 1000);
      },
    }),
  );
  return {
    indexed: (lagMs) => {
      indexedAt = performance.now() - lagMs;
    },
    started: ({ kind }, acquisition) => runs[acquisition].inc({ kind }),
    left: ({ kind }, exit) => {
      if (typeof exit === "string") runs[exit].inc({ kind });
      else finished.inc({ kind, outcome: exit.outcome });
    },
    swept: (what, count) => swept.inc({ what }, count),
    sweepEnded: (outcome) => sweeps.inc({ outcome }),
    operations: createOperationMetrics(registry),
    usage: createUsageMetrics(registry),
  };
}

/** Metrics of the operations of model providers. */
export type OperationMetrics = ReturnType<typeof createOperationMetrics>;

function createOperationMetrics(registry: Registry) {
  const labels = ["gen_ai_operation_name", "gen_ai_provider_name", "gen_ai_request_model"] as const;
  return {
    unreadable: new Counter({
      name: "parley_unreadable_usage_total",
      help: "Steps whose provider reports tokens in an unknown form: they count as none",
      labelNames: ["gen_ai_provider_name"],
      registers: [registry],
    }),
    duration: new Histogram({
      name: "gen_ai_client_operation_duration_seconds",
      help:
        "Duration of steps of model providers. error_type: provider_error (the provider reported " +
        "it), exception (it threw), aborted (the run was stopped)",
      labelNames: [...labels, "error_type"],
      buckets: DURATION_BUCKETS,
      registers: [registry],
    }),
    tokens: new Histogram({
      name: "gen_ai_client_token_usage",
      help: "Tokens of steps as reported by their provider: input and output",
      labelNames: [...labels, "gen_ai_token_type"],
      buckets: TOKEN_BUCKETS,
      registers: [registry],
    }),
    // Counters of their own: as types of the histogram, its sum over all types would count them twice.
    cached: new Counter({
      name: "gen_ai_client_inference_usage_cache_read_input_tokens_total",
      help: "Input tokens that the provider read from its cache; they are part of the input",
      labelNames: labels,
      registers: [registry],
    }),
    cacheWritten: new Counter({
      name: "gen_ai_client_inference_usage_cache_write_input_tokens_total",
      help: "Input tokens that the provider wrote to its cache; they are part of the input",
      labelNames: labels,
      registers: [registry],
    }),
    reasoning: new Counter({
      name: "gen_ai_client_inference_usage_reasoning_output_tokens_total",
      help: "Output tokens of reasoning; they are part of the output",
      labelNames: labels,
      registers: [registry],
    }),
  };
}
