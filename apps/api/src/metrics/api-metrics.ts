import { Counter, Gauge, type Registry } from "prom-client";
import { createRequestMetrics } from "./request-metrics.ts";
import { createStreamMetrics } from "./stream-metrics.ts";

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

/** Registers the metrics of the API. */
export function createApiMetrics(registry: Registry, loopDelayMs: () => number) {
  const registers = [registry];
  const limited = new Counter({
    name: "parley_rate_limited_total",
    help:
      "Calls refused with rate_limit_error, by limit: a class of calls, " +
      "failed-auth (refused credentials of an address), streams (too many open), large-bodies, small-bodies (with many values), mentions (messages to many agents), overload",
    labelNames: ["limit"],
    registers,
  });
  const refused = new Counter({
    name: "parley_credentials_refused_total",
    help: "Credentials that were refused, by the type of the error",
    labelNames: ["error_type"],
    registers,
  });
  const resets = new Counter({
    name: "parley_readers_reset_total",
    help:
      "Connections that were reset because their client did not read: stalled (nothing for " +
      "PARLEY_TRANSFER_IDLE_MS), budget (past PARLEY_UNREAD_BYTES)",
    labelNames: ["reason"],
    registers,
  });
  registry.registerMetric(
    new Gauge({
      name: "parley_event_loop_delay_seconds",
      help: "Mean turn of the API's event loop: past PARLEY_MAX_LOOP_DELAY_MS, calls are refused",
      registers: [],
      collect() {
        this.set(loopDelayMs() / 1000);
      },
    }),
  );
  return {
    requests: createRequestMetrics(registry),
    streams: createStreamMetrics(registry),
    /** Counts a call that a limit refused. */
    limited: (limit: string): void => limited.inc({ limit }),
    /** Counts a connection whose client did not read. */
    readerReset: (reason: "stalled" | "budget"): void => resets.inc({ reason }),
    /** Counts a refused credential, by the error's type. */
    credentialRefused: (type: string): void => refused.inc({ error_type: type }),
  };
}
