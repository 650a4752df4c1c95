import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { ClaimedRun } from "@parley/core";

/** How a worker came to a run. */
type Way = "claimed" | "taken_over";

/** How a run leaves a worker: finished with an outcome, or not. */
type Leaving = "lost" | "broken" | "handed_back" | { readonly outcome: string };

/** What a worker counts. */
export interface WorkerMetrics {
  started(run: ClaimedRun, way: Way): void;
  /** Counts a run that left the worker. */
  left(run: ClaimedRun, how: Leaving): void;
  swept(what: string, count: number): void;
  sweepEnded(outcome: "done" | "failed"): void;
  readonly operations: OperationMetrics;
}

/** What is measured of a model provider's operations. */
export interface OperationMetrics {
  readonly duration: Histogram<
    "gen_ai_operation_name" | "gen_ai_provider_name" | "gen_ai_request_model" | "error_type"
  >;
  readonly tokens: Histogram<
    "gen_ai_operation_name" | "gen_ai_provider_name" | "gen_ai_request_model" | "gen_ai_token_type"
  >;
}

/** What OpenTelemetry advises. */
const DURATION_BUCKETS = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
];
const TOKEN_BUCKETS = [
  1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216,
  67_108_864,
];

/** Registers what a worker measures. `running` gives the kinds of the runs that it holds. */
export function createWorkerMetrics(
  registry: Registry,
  running: () => Iterable<ClaimedRun["kind"]>,
): WorkerMetrics {
  const registers = [registry];
  const ofKind = <Label extends string = never>(name: string, help: string, label?: Label) => {
    const labelNames = ["kind", ...(label === undefined ? [] : [label])];
    return new Counter<"kind" | Label>({ name, help, registers, labelNames: labelNames as never });
  };
  const claimed = ofKind("parley_runs_claimed_total", "Runs that this worker claimed");
  const takenOver = ofKind(
    "parley_runs_taken_over_total",
    "Runs that this worker took over from one that was silent for too long",
  );
  const finished = ofKind(
    "parley_runs_finished_total",
    "Runs that this worker ended: an agent_turn succeeded, failed or parked for functions, an invocation succeeded or " +
      "has the code of its error",
    "outcome",
  );
  const unfinished = {
    lost: ofKind(
      "parley_runs_lost_total",
      "Runs whose log was closed, or taken over, while this worker had them",
    ),
    broken: ofKind(
      "parley_runs_broken_total",
      "Runs that this worker gave up for an error of its own, to be taken over",
    ),
    handed_back: ofKind(
      "parley_runs_handed_back_total",
      "Runs that this worker handed back when it stopped",
    ),
  };
  registry.registerMetric(
    new Gauge({
      name: "parley_runs_running",
      help: "Runs that this worker holds",
      labelNames: ["kind"],
      registers: [],
      collect() {
        for (const kind of ["agent_turn", "invocation"]) this.set({ kind }, 0);
        for (const kind of running()) this.inc({ kind });
      },
    }),
  );
  const swept = new Counter({
    name: "parley_swept_total",
    help: "What retention took out: logs that were compacted or trimmed, rows that were deleted",
    labelNames: ["what"],
    registers,
  });
  const sweeps = new Counter({
    name: "parley_sweeps_total",
    help: "Sweeps of what is not kept for ever, done or failed",
    labelNames: ["outcome"],
    registers,
  });
  const operationLabels = [
    "gen_ai_operation_name",
    "gen_ai_provider_name",
    "gen_ai_request_model",
  ] as const;
  return {
    started: ({ kind }, way) => (way === "claimed" ? claimed : takenOver).inc({ kind }),
    left: ({ kind }, how) => {
      if (typeof how === "string") unfinished[how].inc({ kind });
      else finished.inc({ kind, outcome: how.outcome });
    },
    swept: (what, count) => swept.inc({ what }, count),
    sweepEnded: (outcome) => sweeps.inc({ outcome }),
    operations: {
      duration: new Histogram({
        name: "gen_ai_client_operation_duration_seconds",
        help:
          "How long steps of model providers took. error_type: provider_error (the provider said " +
          "so), exception (it threw), aborted (nobody waits any more)",
        labelNames: [...operationLabels, "error_type"],
        buckets: DURATION_BUCKETS,
        registers,
      }),
      tokens: new Histogram({
        name: "gen_ai_client_token_usage",
        help: "Tokens of steps, as their provider counts them, if it does: input and output",
        labelNames: [...operationLabels, "gen_ai_token_type"],
        buckets: TOKEN_BUCKETS,
        registers,
      }),
    },
  };
}
