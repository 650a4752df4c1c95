import { ParleyError } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/**
 * Security headers of every response. Most responses are data: pages set their own policy. TLS is the
 * matter of a proxy.
 */
const safeHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Checks and headers of every route: a valid Host, security headers, no encoded or unread bodies. */
export function registerGuards(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => void reply.headers(safeHeaders));
  app.addHook("onRequest", async (request) => requireHost(request));
  app.addHook("preParsing", async (request) => refuseEncodedBody(request));
  readOn(app.server);
}

/** RFC 9112, section 3.2; tRPC also parses it as a URL. */
function requireHost({ raw, headers: { host } }: FastifyRequest): void {
  if (raw.httpVersion === "1.0" && host === undefined) return;
  const isHost = host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);
  if (raw.httpVersionMajor === 1 && isHost) return;
  throw new ParleyError("invalid_request_error", "The request must be HTTP/1.1 with a valid Host");
}

function refuseEncodedBody({ method, headers }: FastifyRequest): void {
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity" || method === "GET" || method === "HEAD") return;
  throw new ParleyError(
    "invalid_request_error",
    "Invalid request body: it must be sent without a Content-Encoding",
  );
}

// Closing a connection with unread bytes resets it, and the client loses a response that it has not
// read yet. So after a response that came before the end of its request's body, the rest of the body is
// read for a while and discarded.

/** How long a client may continue to send after its response. */
const UNREAD_MS = 30_000;
/** How many bytes it may send; more than any route accepts. */
const UNREAD_BYTES = 64 * 1024 * 1024;
const CHECK_INTERVAL_MS = 100;
/** What is discarded is read slowly, 32 MB/s: a flood of refused bodies is to leave the event loop to others. */
const BYTES_PER_MS = 32 * 1024;
/** How much of a delay is caught up with: on a busy machine, timers are late by tens of milliseconds. */
const MAX_DELAY_MS = 100;

/** Makes responses reach clients that first send their whole body. */
export function readOn(server: Server): void {
  // Not a hook: with one, Fastify would hold request and reply of each open stream in memory.
  server.on("request", (request, response) => {
    // Before Node's own listener, which may close the connection.
    if (hasBody(request)) response.prependOnceListener("finish", () => drain(request, response));
  });
}

/** Whether a request declares a body. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function drain(request: IncomingMessage, { shouldKeepAlive }: ServerResponse): void {
  if (request.complete) return;
  const { socket } = request;
  const maxBytesRead = socket.bytesRead + UNREAD_BYTES;
  const deadline = performance.now() + UNREAD_MS;
  const timer = setInterval(() => {
    if (socket.bytesRead > maxBytesRead || performance.now() > deadline) socket.destroy();
  }, CHECK_INTERVAL_MS);
  timer.unref();
  // At its end, and when the connection breaks before it.
  request.once("close", () => clearInterval(timer));
  discardSlowly(request);
  if (shouldKeepAlive) return;
  // Node calls this next: the client learns that nothing more comes, and can finish sending.
  socket.destroySoon = () => socket.end();
  request.once("end", () => socket.destroy());
}

/** Requests of which something has come that is to be discarded. */
const waiting = new Set<IncomingMessage>();
/** When the next may be read. */
let dueAt = Number.NEGATIVE_INFINITY;
let isTimed = false;

/** Reads a request to its end: those of the process of which something has come take turns, for one read at a time. */
function discardSlowly(request: IncomingMessage): void {
  request.pause();
  request.on("readable", () => wait(request));
  request.once("close", () => waiting.delete(request));
  // Node reads what nobody has begun to read at full speed.
  request.read();
}

function wait(request: IncomingMessage): void {
  waiting.add(request);
  if (!isTimed) readInTime();
}

function readInTime(): void {
  isTimed = true;
  const waitMs = dueAt - performance.now();
  // What is late follows after what else waits for the event loop.
  if (waitMs <= 0) setImmediate(readNext);
  else setTimeout(readNext, waitMs);
}

function readNext(): void {
  isTimed = false;
  for (const request of waiting) {
    waiting.delete(request);
    // It gives one piece of what has come, and asks for more when it was the last.
    const piece = request.read() as Buffer | null;
    dueAt = dueAfter(dueAt, performance.now(), piece?.length ?? 0);
    if (request.readableLength > 0) waiting.add(request);
    break;
  }
  if (waiting.size > 0) readInTime();
}

/** When the read after one of so many bytes is due; reads that are late keep the pace, up to a delay. */
export function dueAfter(due: number, now: number, bytes: number): number {
  return Math.max(due, now - MAX_DELAY_MS) + bytes / BYTES_PER_MS;
}
