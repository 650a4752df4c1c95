import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import type { ApiSettings } from "../config.ts";
import { randomUUID } from "node:crypto";

const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** How long a connection may be silent beyond the wait of a blocking create. */
const SILENCE_MS = 30_000;
/** How often Node checks for requests that take too long. */
const CHECK_INTERVAL_MS = 1000;

/** Creates Node's server, with bounds on what precedes a body. */
export function createHttpServer(settings: ApiSettings, listener: RequestListener): Server {
  const { PARLEY_REQUEST_TIMEOUT_MS: requestTimeout } = settings;
  const server = createServer(
    {
      requestTimeout,
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout),
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // Node would refuse without an error body; `registerGuards` sends one.
      requireHostHeader: false,
    },
    listener,
  );
  // A blocking create is silent for as long as it waits.
  server.setTimeout(settings.PARLEY_BLOCKING_TIMEOUT_MS + SILENCE_MS);
  return server;
}

/** The id of a request: the client's if it is short and safe, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const sent = headers["x-request-id"];
  return typeof sent === "string" && /^[\w.-]{1,128}$/.test(sent) ? sent : randomUUID();
}
