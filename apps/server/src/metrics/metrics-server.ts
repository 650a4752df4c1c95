import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Core } from "@parley/core";
import type { Logger } from "pino";
import type { Registry } from "prom-client";
import type { Settings } from "../config.ts";
import { registerLookUps } from "./process-metrics.ts";
import { refusedPort } from "../refused-port.ts";

/** Limit of a scrape. */
const TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 20;

export interface MetricsOptions {
  readonly core: Core;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly registry: Registry;
  /** Why the process is not ready, for /readyz; undefined while it is. */
  readonly whyNotReady?: (() => string | undefined) | undefined;
}

/**
 * Serves /metrics on its own port, and /readyz, which answers 200 while the worker of the process claims
 * runs, and else 503. Gives undefined without a port. Throws `CommandError` if
 * it cannot listen.
 */
export async function serveMetrics({
  core,
  settings,
  logger,
  registry,
  whyNotReady,
}: MetricsOptions): Promise<{ close(): Promise<void> } | undefined> {
  const { PARLEY_METRICS_PORT: port, PARLEY_METRICS_HOST: host } = settings;
  if (port === undefined) return undefined;
  registerLookUps(registry, core);
  const options = { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, maxHeaderSize: 4096 };
  const server = createServer(options, (request, response) => {
    answer({ registry, whyNotReady }, request, response).catch((error: unknown) => {
      logger.error({ err: error }, "The metrics could not be read");
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(port, host);
  await once(server, "listening").catch((error: unknown) => {
    throw refusedPort(error, { setting: "PARLEY_METRICS_PORT", host, port });
  });
  // The type for a server that listens on a port.
  const { port: actual } = server.address() as AddressInfo;
  const name = host.includes(":") ? `[${host}]` : host;
  logger.info(`Metrics are at http://${name}:${actual}/metrics`);
  return {
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function answer(
  { registry, whyNotReady }: Pick<MetricsOptions, "registry" | "whyNotReady">,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const [path] = (request.url ?? "").split("?");
  if (path !== "/metrics" && path !== "/readyz") return void response.writeHead(404).end();
  if (request.method !== "GET") return void response.writeHead(405, { Allow: "GET" }).end();
  if (path === "/readyz") {
    const reason = whyNotReady?.();
    response.writeHead(reason === undefined ? 200 : 503, { "Content-Type": "application/json" });
    return void response.end(JSON.stringify({ status: reason ?? "ok" }));
  }
  const text = await registry.metrics();
  response.writeHead(200, { "Content-Type": registry.contentType, "Cache-Control": "no-store" });
  response.end(text);
}
