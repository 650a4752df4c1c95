import {
  type LogStream,
  readLogEnd,
  type RequestContext,
  startBehind,
  type WorkspaceCaller,
} from "@parley/core";
import { authorizeWorkspace, streams, toParleyError } from "@parley/rpc";
import { endpoints, HttpInput, parseInput, ParleyError, type StreamEndpoint } from "@parley/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import {
  type ApiServices,
  authenticate,
  callerOf,
  requestContext,
  workspaceIdOf,
} from "./requests.ts";
import { routePath } from "./rest.ts";
import { parseResume, startStream } from "./sse.ts";

/** To find a stream is short: nobody stops it. */
const neverAborted = new AbortController().signal;

type FindStream = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<LogStream>;

/** Serves every endpoint of kind stream: a redirect, and the stream behind it, equally guarded. */
export function registerStreams(app: FastifyInstance, services: ApiServices): void {
  const finders: Record<string, FindStream> = streams;
  const { db } = services.core.database;
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.kind !== "stream") continue;
    const find = finders[name];
    if (find === undefined) throw new Error(`Nothing finds the stream of ${name}`);
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
        const keyId = callerOf(request).apiKey.sid;
        await services.rateLimits.consume(
          endpoint.rateLimit,
          keyId,
          (headers) => void reply.headers(headers),
        );
        const source = await findStream(endpoint, find, services, request);
        const { cursor, withIds } = parseResume(request);
        const after = startBehind(cursor, await readLogEnd(db, source.logId), source);
        if (after === undefined) return reply.code(204).send();
        const { authorization } = request.headers;
        const about = { requestId: request.id, workspaceId: workspaceIdOf(callerOf(request)) };
        const stream = { name, source, after, withIds, keyId, authorization, about };
        startStream(services, stream, reply);
        // A reply is a promise of its end: to return it would keep it until then.
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
  const context = requestContext(services, request, neverAborted);
  const { params, query, body } = request;
  const input = parseInput(endpoint, new HttpInput({ params, query, body }));
  // The cursor is part of the query, so it is checked before the role too.
  parseResume(request);
  const { wId } = input as { wId: string };
  // Each finder takes what its own endpoint's schemas give.
  return find(authorizeWorkspace(endpoint, context, wId), input as never);
}

/** Clients retry a stream only on 408 and 429, so what is unavailable is said with a 429. */
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
