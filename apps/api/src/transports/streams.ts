import {
  type LogStream,
  readLogEnd,
  type RequestContext,
  startAfter,
  type WorkspaceCaller,
} from "@parley/core";
import { authorizeWorkspace, toParleyError } from "@parley/rpc";
import { HttpInput, parseInput, ParleyError, type StreamEndpoint } from "@parley/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { authenticate } from "../requests/authenticate.ts";
import { charge } from "../requests/charge-request.ts";
import { requestContext } from "../requests/procedure-context.ts";
import type { ApiServices } from "../services.ts";
import { endpointsOfKind, routePath } from "./endpoints-of-kind.ts";
import { frameEncoder } from "./sse-frames.ts";
import { parseResume, startStream } from "./sse.ts";

/** Finding a stream is short, so it is never aborted. */
const neverAborted = new AbortController().signal;

type FindStream = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<LogStream>;

/** Serves every endpoint of kind stream: a redirect and the stream itself, with the same checks. */
export function registerStreams(app: FastifyInstance, services: ApiServices): void {
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
        const source = await findStream(endpoint, find, services, request);
        const { cursor, withIds } = parseResume(request);
        const after = startAfter(cursor, await readLogEnd(db, source.logId), source);
        if (after === undefined) return reply.code(204).send();
        const encode = frameEncoder(source, withIds);
        const isResumed = withIds && after > 0;
        startStream(services, { name, source, after, isResumed, encode }, { request, reply });
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
): Promise<LogStream> {
  const context = requestContext(services, request, { signal: neverAborted });
  const { params, query, body } = request;
  const input = parseInput(endpoint, new HttpInput({ params, query, body }));
  // The cursor is part of the query, so it is checked before the role.
  parseResume(request);
  const { wId } = input as { wId: string };
  // The input of each finder is that of its endpoint's schemas.
  return find(authorizeWorkspace(endpoint, context, wId), input as never);
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
