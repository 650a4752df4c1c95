import { addAbortSignal } from "node:stream";
import multipart, { type Multipart } from "@fastify/multipart";
import type { ReadUpload, RequestContext, WorkspaceCaller } from "@parley/core";
import { uploads } from "@parley/rpc";
import {
  endpoints,
  essenceOf,
  invalidRequest,
  ParleyError,
  type UploadEndpoint,
} from "@parley/schema";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { sendError } from "./errors.ts";
import { admit, type ApiServices, procedureContext } from "./requests.ts";
import { routePath } from "./rest.ts";
import { prepareTransfer, reportTransfer } from "./transfers.ts";

/** What a form may have around the file: boundaries, headers of parts, fields that are ignored. */
const FORM_OVERHEAD_BYTES = 64 * 1024;
/** How long an upload may go on after the server was asked to stop. */
const GRACE_MS = 3000;
/** Bounds on everything but the file itself. A second file is let through to be refused. */
const limits = {
  files: 2,
  fields: 20,
  parts: 22,
  fieldSize: 1024,
  headerPairs: 20,
  headerSize: 4096,
};

type Upload = (
  context: RequestContext<WorkspaceCaller>,
  input: never,
  read: ReadUpload,
) => Promise<unknown>;

/** Serves every endpoint of kind upload. */
export function registerUploads(root: FastifyInstance, services: ApiServices): void {
  const stores: Record<string, Upload> = uploads;
  void root.register(async (app) => {
    app.removeAllContentTypeParsers();
    await app.register(multipart);
    app.setErrorHandler((error: FastifyError, request, reply) => {
      const refusal = error.code?.startsWith("FST_ERR_CTP_INVALID") ? notMultipart(error) : error;
      sendError(refusal, request, reply);
    });
    for (const [name, endpoint] of Object.entries(endpoints)) {
      if (endpoint.kind !== "upload") continue;
      const store = stores[name];
      if (store === undefined) throw new Error(`Nothing stores what comes to ${name}`);
      app.route({
        method: endpoint.method,
        url: routePath(endpoint.path),
        onRequest: async (request, reply) => {
          await admit(services, endpoint, { request, reply });
          // The parser logs the headers that it is given.
          delete request.raw.headers.authorization;
        },
        handler: async (request, reply) => {
          try {
            return await receive(endpoint, store, { services, request, reply });
          } finally {
            dropRest(request);
          }
        },
      });
    }
  });
}

interface Receiving {
  readonly services: ApiServices;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

async function receive(
  endpoint: UploadEndpoint,
  store: Upload,
  { services, request, reply }: Receiving,
): Promise<unknown> {
  const context = procedureContext(services, request, reply);
  return reportTransfer(endpoint, context, async () => {
    if (!request.isMultipart()) throw notMultipart();
    const { input, authorized } = prepareTransfer(endpoint, context, request);
    const idle = refuseIdle(request, services.settings.PARLEY_TRANSFER_IDLE_MS);
    const stopped = refuseStopped(context.signal);
    const read: ReadUpload = (announced) =>
      readFile(request, announced, AbortSignal.any([idle, stopped]));
    // Each takes what its own endpoint's schemas give.
    const answer = await store(authorized, input as never, read);
    return reply.code(endpoint.status).send(answer);
  });
}

/** The bytes of the form's file. Throws for a form that is cut off, or is anything but one file. */
async function* readFile(
  request: FastifyRequest,
  { contentType, sizeBytes }: Parameters<ReadUpload>[0],
  ended: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let found = false;
  const parts = request.parts({ limits: { ...limits, fileSize: Infinity } });
  // The body flows from here on, and the first part is asked for before any of it comes.
  const tooLong = refuseLong(request, sizeBytes + FORM_OVERHEAD_BYTES);
  const signal = AbortSignal.any([ended, tooLong]);
  try {
    for (let part = await nextPart(parts, signal); part; part = await nextPart(parts, signal)) {
      const fault = findFault(part, contentType, found);
      if (part.type === "file" && fault !== undefined) part.file.destroy();
      // A part may come without a name, whatever the types say.
      if (fault !== undefined) throw invalidForm(part.fieldname ?? "", fault);
      if (part.type === "field") continue;
      found = true;
      yield* addAbortSignal(signal, part.file);
    }
  } catch (error) {
    throw toRefusal(signal.aborted ? signal.reason : error);
  }
  if (!found) throw invalidForm("file", "is missing: send the file in this field of the form");
}

/** The next part, unless the signal aborts before it comes: the parser alone would wait for ever. */
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

/** What is wrong with a part of the form; other fields than the file's are ignored. */
function findFault(part: Multipart, contentType: string, found: boolean): string | undefined {
  if (part.type === "field") {
    return part.fieldname === "file" ? "must be a file, with a file name" : undefined;
  }
  if (part.fieldname !== "file") return "no file is expected here: send it in the field file";
  if (found) return "must be one file";
  const announced = essenceOf(contentType);
  const sent = essenceOf(part.mimetype);
  return sent === announced
    ? undefined
    : `must have the content type that was announced, ${announced}, not ${sent.slice(0, 100)}`;
}

/** What the parser of forms throws is the client's doing. */
export function toRefusal(error: unknown): ParleyError {
  if (error instanceof ParleyError) return error;
  const cause = error instanceof Error ? error : new Error(String(error));
  return invalidForm("", `malformed form: ${cause.message}`, cause);
}

/** The refusal of a body that is no form. */
export function notMultipart(cause?: unknown): ParleyError {
  return invalidForm("", "the content type must be multipart/form-data with a boundary", cause);
}

/** The refusal of a form for what is wrong with the field `path`. */
export function invalidForm(path: string, message: string, cause?: unknown): ParleyError {
  const refusal = invalidRequest("body", [{ path, message }]);
  return Object.assign(refusal, { cause });
}

/** A signal that aborts once the client was waited for so long, and no byte of the body came. */
export function refuseIdle({ raw }: FastifyRequest, idleMs: number): AbortSignal {
  const idle = new AbortController();
  raw.setTimeout(idleMs, () => {
    // Paused, it is the client that waits.
    if (raw.isPaused()) raw.setTimeout(idleMs);
    else idle.abort(invalidForm("", `no byte came for ${idleMs} ms`));
  });
  raw.once("end", () => raw.setTimeout(0));
  return idle.signal;
}

/** A signal that aborts once the body has had more than so many bytes. */
export function refuseLong({ raw }: FastifyRequest, maxBytes: number): AbortSignal {
  const long = new AbortController();
  let received = 0;
  raw.on("data", (data: Buffer) => {
    received += data.length;
    if (received > maxBytes) long.abort(invalidForm("", `must be at most ${maxBytes} bytes`));
  });
  return long.signal;
}

/** A signal that aborts a little after the request's own: who is nearly done may come to an end. */
export function refuseStopped(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const reason = new ParleyError("service_unavailable", "The server is shutting down: try again", {
    retryAfterSeconds: 1,
  });
  const start = () => void setTimeout(() => late.abort(reason), GRACE_MS).unref();
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return late.signal;
}

/** Drops what still comes of a refused form: who can send no more may not look at the answer. */
export function dropRest({ raw }: FastifyRequest): void {
  raw.unpipe();
  raw.resume();
}
