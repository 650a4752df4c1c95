import multipart, { type Multipart } from "@fastify/multipart";
import { invalidRequest, ParleyError } from "@parley/schema";
import type { FastifyError, FastifyInstance, FastifyRequest } from "fastify";
import { sendError } from "../http/error-response.ts";
import type { Exchange } from "../services.ts";

/** Grace period of uploads after the server is asked to stop. */
const GRACE_MS = 3000;

/** Registers the parser of forms, with the routes that take them. */
export function registerMultipart(
  root: FastifyInstance,
  registerRoutes: (app: FastifyInstance) => void,
): void {
  void root.register(async (app) => {
    app.removeAllContentTypeParsers();
    await app.register(multipart);
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const refusal = error.code?.startsWith("FST_ERR_CTP_INVALID") ? notMultipart(error) : error;
      sendError(refusal, request, reply);
    });
    app.addHook("preParsing", async (request) => {
      // The parser logs the headers.
      delete request.raw.headers.authorization;
    });
    registerRoutes(app);
  });
}

/** The next part. Throws when the signal aborts first: the parser alone would wait forever. */
export async function nextPart(
  parts: AsyncIterableIterator<Multipart>,
  signal: AbortSignal,
): Promise<Multipart | undefined> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener("abort", abort, { once: true });
  try {
    const { done, value } = await Promise.race([parts.next(), aborted.promise]);
    return done ? undefined : value;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** The refusal for an error of the parser: the form is malformed. */
export function toRefusal(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  return invalidForm("", `malformed form: ${cause.message}`, cause);
}

/** The refusal of a body that is not a form. */
export function notMultipart(cause?: unknown): ParleyError {
  return invalidForm("", "the content type must be multipart/form-data with a boundary", cause);
}

/** The refusal of a form for a fault of the field `path`. */
export function invalidForm(path: string, message: string, cause?: unknown): ParleyError {
  const refusal = invalidRequest("body", [{ path, message }]);
  return Object.assign(refusal, { cause });
}

/**
 * A signal that aborts once the client has sent nothing for `idleMs`, or a little after the
 * request's own signal: uploads that are nearly complete may finish.
 */
export function refuseSlow(exchange: Exchange, signal: AbortSignal, idleMs: number): AbortSignal {
  return AbortSignal.any([refuseIdle(exchange, idleMs), refuseStopped(signal)]);
}

function refuseIdle({ request: { raw }, reply }: Exchange, idleMs: number): AbortSignal {
  const idle = new AbortController();
  // Without a listener, Node closes the connection of a body that has come as a whole and is still worked on.
  reply.raw.on("timeout", () => {});
  raw.setTimeout(idleMs, () => {
    // While the body is paused, or not read yet, the client waits for the server.
    if (raw.readableFlowing !== true) raw.setTimeout(idleMs);
    else {
      const message = `The request stalled: no byte arrived for ${idleMs} ms`;
      idle.abort(new ParleyError("request_timeout", message));
    }
  });
  raw.once("end", () => {
    // A connection whose answer is sent has the timeout of those that wait for a request.
    if (!reply.raw.writableFinished) raw.setTimeout(0);
  });
  return idle.signal;
}

/** A signal that aborts once the body is longer than `maxBytes`. */
export function refuseLong({ raw }: FastifyRequest, maxBytes: number): AbortSignal {
  const long = new AbortController();
  let received = 0;
  raw.on("data", (data: Buffer) => {
    received += data.length;
    if (received > maxBytes) long.abort(invalidForm("", `must be at most ${maxBytes} bytes`));
  });
  return long.signal;
}

function refuseStopped(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const reason = new ParleyError("service_unavailable", "The server is shutting down: try again", {
    retryAfterSeconds: 1,
  });
  const start = () => void setTimeout(() => late.abort(reason), GRACE_MS).unref();
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return late.signal;
}

/** Discards the rest of a refused form: clients that cannot send it all may not read the response. */
export function dropRest({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
}
