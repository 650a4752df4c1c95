import {
  type Context,
  badCursor,
  type LogStream,
  readLogEnd,
  refuseTasks,
  type RequestContext,
  startAfter,
  type WorkspaceCaller,
} from "@parley/core";
import { authorizeWorkspace, type ProcedureContext, toParleyError } from "@parley/rpc";
import {
  HttpInput,
  invalidRequest,
  parseInput,
  ParleyError,
  type StreamEndpoint,
  type StreamFormat,
} from "@parley/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authenticate } from "../requests/authenticate.ts";
import { charge } from "../requests/charge-request.ts";
import { procedureContext, requestContext } from "../requests/procedure-context.ts";
import type { ApiServices, Exchange } from "../services.ts";
import { endpointsOfKind, routePath } from "./endpoints-of-kind.ts";
import { frameEncoder } from "./sse-frames.ts";
import { parseResume, startStream } from "./sse.ts";

/** Finding a stream is short, so it is never aborted. */
const neverAborted = new AbortController().signal;

/** A stream that was found for a request. */
interface FoundStream {
  readonly source: LogStream;
  /** The parsed input of its endpoint. */
  readonly input: unknown;
}

/** A request for a stream in another protocol, with the context of the procedures that it may need. */
export interface FormatExchange extends Exchange {
  readonly services: ApiServices;
  readonly context: ProcedureContext & Context;
}

/** Sends a stream in another protocol's words, or answers 204 where nothing is in progress. */
export type SendFormat = (exchange: FormatExchange, stream: FoundStream) => Promise<void>;

/** What sends the formats of the endpoints that have some, by the endpoint's name. */
export type StreamFormats = Readonly<
  Record<string, Readonly<Partial<Record<StreamFormat, SendFormat>>>>
>;

type FindStream = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<LogStream>;

/**
 * Serves every endpoint of kind stream: a redirect and the stream itself, with the same checks. Streams in other
 * formats are those of `formats`.
 */
export function registerStreams(
  app: FastifyInstance,
  services: ApiServices,
  formats: StreamFormats,
): void {
  const { db } = services.core.database;
  for (const { name, endpoint, implementation } of endpointsOfKind("stream")) {
    const find = implementation as FindStream;
    const onRequest = guarded((request) => authenticate(services, request));
    app.get(routePath(endpoint.path), {
      onRequest,
      handler: guarded(async (request, reply) => {
        await findStream(endpoint, find, services, request);
        const prefix = new URL(services.core.publicUrl).pathname.replace(/\/$/, "");
        const location = prefix + request.url.replace("/api/", "/api/sse/");
        return reply.redirect(location, 307);
      }),
    });
    app.get(routePath(endpoint.path.replace("/api/", "/api/sse/")), {
      onRequest,
      handler: guarded(async (request, reply) => {
        await charge(services, endpoint, { request, reply });
        const { source, input } = await findStream(endpoint, find, services, request);
        const format = parseFormat(endpoint, request);
        if (format !== undefined) {
          refuseTasks(source);
          const send = formats[name]?.[format];
          if (send === undefined) throw new Error(`Nothing sends ${name} as ${format}`);
          const all = procedureContext(services, { request, reply });
          const { wId } = input as { wId: string };
          const context = authorizeWorkspace(endpoint, all, wId);
          await send({ services, request, reply, context }, { source, input });
          return reply;
        }
        const { cursor, below, withIds } = parseResume(request);
        if (source.hasTasks !== true && below !== undefined) throw badCursor();
        const after = startAfter(cursor, await readLogEnd(db, source.logId), source);
        if (after === undefined) return reply.code(204).send();
        const encode = frameEncoder(source, withIds);
        const isResumed = withIds && after > 0;
        const stream = { name, source, after, below, isResumed, encode };
        startStream(services, stream, { request, reply });
        // A reply is a promise of its end: returning it would hold it in memory until then.
        return undefined;
      }),
    });
  }
}

async function findStream(
  endpoint: StreamEndpoint,
  find: FindStream,
  services: ApiServices,
  request: FastifyRequest,
): Promise<FoundStream> {
  const context = requestContext(services, request, { signal: neverAborted });
  const { params, query, body } = request;
  const input = parseInput(endpoint, new HttpInput({ params, query, body }));
  // The cursor is part of the query, so it is checked before the role.
  if (parseFormat(endpoint, request) === undefined) parseResume(request);
  const { wId } = input as { wId: string };
  // The input of each finder is that of its endpoint's schemas.
  const source = await find(authorizeWorkspace(endpoint, context, wId), input as never);
  return { source, input };
}

/** Reads the format that a request asks for; undefined for the interface's own. Throws `invalid_request_error`. */
function parseFormat(
  { formats = [] }: StreamEndpoint,
  { query }: FastifyRequest,
): StreamFormat | undefined {
  const { format } = query as { format?: unknown };
  const isKnown = (one: unknown): one is StreamFormat => formats.some((known) => known === one);
  if (format === undefined || formats.length === 0) return undefined;
  if (isKnown(format)) return format;
  const message = `must be ${formats.join(" or ")}, or left out`;
  throw invalidRequest("query", [{ path: "format", message }]);
}

/** Responds with 429 in place of 503: clients retry a stream only on 408 and 429. */
function guarded<R>(handler: (request: FastifyRequest, reply: FastifyReply) => Promise<R>) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<R> => {
    try {
      return await handler(request, reply);
    } catch (error) {
      const known = toParleyError(error);
      if (known.type !== "service_unavailable") throw error;
      throw new ParleyError("rate_limit_error", known.message, {
        cause: error,
        retryAfterSeconds: known.retryAfterSeconds ?? 1,
      });
    }
  };
}
