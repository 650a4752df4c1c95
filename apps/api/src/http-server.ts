import { createServer, type RequestListener, type Server } from "node:http";
import type { ApiSettings } from "./config.ts";

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** How long a connection may be silent between two requests. */
const KEEP_ALIVE_MS = 72_000;
/** How long a connection may be silent beyond what a blocking create may wait. */
const SILENCE_MS = 30_000;
/** How often Node looks for requests that take too long. */
const CHECK_INTERVAL_MS = 1000;

/** Makes Node's server, with the bounds on connections and on what comes before a body. */
export function createHttpServer(settings: ApiSettings, listener: RequestListener): Server {
  const { PARLEY_REQUEST_TIMEOUT_MS: requestTimeout } = settings;
  const server = createServer(
    {
      requestTimeout,
      keepAliveTimeout: KEEP_ALIVE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout),
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // Node would refuse without a body; `registerGuards` has one.
      requireHostHeader: false,
    },
    listener,
  );
  // A blocking create is silent for as long as it waits.
  server.setTimeout(settings.PARLEY_BLOCKING_TIMEOUT_MS + SILENCE_MS);
  server.maxConnections = settings.PARLEY_MAX_CONNECTIONS;
  return server;
}
