import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { createStreamMetrics } from "./stream-metrics.ts";
import { METHODS } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyReply {
    /** Ends the measurement of a request whose response is a stream. */
    answered: () => void;
  }
}

const methods = new Set(METHODS);
/** OpenTelemetry's buckets, and beyond them those of a blocking create. */
const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 30, 60, 180,
];

/**
 * Registers the metrics of requests under OpenTelemetry's names, with routes as templates so that
 * labels are bounded. A stream is measured until its response starts. Nothing of a request stays in
 * memory after its measurement.
 */
function createRequestMetrics(registry: Registry) {
  const registers = [registry];
  const duration = new Histogram({
    name: "http_server_request_duration_seconds",
    help:
      "Duration of requests; of streams, until their answer began. error_type is the type of the " +
      "error in the answer, or client_closed if the client left before the answer",
    labelNames: [
      "http_request_method",
      "http_route",
      "http_response_status_code",
      "error_type",
    ] as const,
    buckets: BUCKETS,
    registers,
  });
  const active = new Gauge({
    name: "http_server_active_requests",
    help: "Requests that are being answered, without streams whose answer has begun",
    labelNames: ["http_request_method"] as const,
    registers,
  });

  function measure(request: FastifyRequest, reply: FastifyReply): void {
    const { raw: response } = reply;
    const method = methods.has(request.method) ? request.method : "_OTHER";
    const startedAt = performance.now();
    const labels = { http_request_method: method };
    active.inc(labels);
    const end = (isClosed: boolean): void => {
      response.off("close", endAtClose);
      reply.answered = () => {};
      active.dec(labels);
      const isCut = isClosed && !response.writableFinished;
      const status = isCut && !response.headersSent ? "" : String(response.statusCode);
      const values = {
        ...labels,
        http_route: request.routeOptions.url ?? "",
        http_response_status_code: status,
        error_type: isCut ? "client_closed" : (reply.errorType ?? ""),
      };
      duration.observe(values, (performance.now() - startedAt) / 1000);
    };
    const endAtClose = (): void => end(true);
    reply.answered = () => end(false);
    response.once("close", endAtClose);
  }

  return {
    /** Measures the requests of a server. */
    watch: (app: FastifyInstance): void => {
      app.decorateReply("errorType", undefined);
      app.decorateReply("answered");
      app.addHook("onRequest", async (request, reply) => measure(request, reply));
    },
  };
}

export type ApiMetrics = ReturnType<typeof createApiMetrics>;

/** Registers the metrics of the API. */
export function createApiMetrics(registry: Registry, loopDelayMs: () => number) {
  const registers = [registry];
  const limited = new Counter({
    name: "parley_rate_limited_total",
    help:
      "Calls refused with rate_limit_error, by limit: a class of calls, " +
      "failed-auth (refused credentials of an address), event (of a trigger, or of a workspace's), streams (too many open), large-bodies, small-bodies (with many values), mentions (messages to many agents), overload",
    labelNames: ["limit"],
    registers,
  });
  const refused = new Counter({
    name: "parley_credentials_refused_total",
    help: "Credentials that were refused, by the type of the error",
    labelNames: ["error_type"],
    registers,
  });
  const events = new Counter({
    name: "parley_trigger_events_total",
    help:
      "Requests to the URLs of triggers: stored, repeated (an event that was there), ping, challenge (of Slack), or the " +
      "type of the error that refused it",
    labelNames: ["outcome"],
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
    /** Counts a request to the URL of a trigger. */
    eventReceived: (outcome: string): void => events.inc({ outcome }),
    /** Counts a refused credential, by the error's type. */
    credentialRefused: (type: string): void => refused.inc({ error_type: type }),
  };
}
