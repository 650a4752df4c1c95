import { METHODS } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { Gauge, Histogram, type Registry } from "prom-client";

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
export function createRequestMetrics(registry: Registry) {
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
