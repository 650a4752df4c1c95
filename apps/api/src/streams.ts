import type { LogStream, RequestContext, WorkspaceCaller } from "@parley/core";
import { authorizeWorkspace, streams, toParleyError } from "@parley/rpc";
import { endpoints, HttpInput, parseInput, ParleyError, type StreamEndpoint } from "@parley/schema";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ApiSettings } from "./config.ts";
import { type ApiServices, authenticate, callerOf, procedureContext } from "./requests.ts";
import { routePath } from "./rest.ts";
import { parseResume, sendStream } from "./sse.ts";

type FindStream = (context: RequestContext<WorkspaceCaller>, input: never) => Promise<LogStream>;

/** Serves every endpoint of kind stream: a redirect, and the stream behind it, equally guarded. */
export function registerStreams(
  app: FastifyInstance,
  services: ApiServices,
  settings: ApiSettings,
): void {
  const finders: Record<string, FindStream> = streams;
  const places = createPlaces(settings);
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.kind !== "stream") continue;
    const find = finders[name];
    if (find === undefined) throw new Error(`Nothing finds the stream of ${name}`);
    const onRequest = guarded((request) => authenticate(services, request));
    app.get(routePath(endpoint.path), {
      onRequest,
      handler: guarded(async (request, reply) => {
        const context = procedureContext(services, request, reply);
        await findStream(endpoint, find, context, request);
        const prefix = new URL(services.core.publicUrl).pathname.replace(/\/$/, "");
        const location = prefix + request.url.replace("/api/", "/api/sse/");
        return reply.redirect(location, 307);
      }),
    });
    app.get(routePath(endpoint.path.replace("/api/", "/api/sse/")), {
      onRequest,
      handler: guarded(async (request, reply) => {
        const keyId = callerOf(request).apiKey.sid;
        reply.headers(await services.rateLimits.consume(endpoint.rateLimit, keyId));
        const context = procedureContext(services, request, reply);
        const stream = await findStream(endpoint, find, context, request);
        const release = places.take(keyId);
        try {
          await sendStream(services.core, stream, { request, reply, signal: context.signal });
        } finally {
          release();
        }
      }),
    });
  }
}

async function findStream(
  endpoint: StreamEndpoint,
  find: FindStream,
  context: RequestContext,
  request: FastifyRequest,
): Promise<LogStream> {
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

/** Bounds the open streams of the process and of each key. */
function createPlaces(settings: ApiSettings) {
  const ofKeys = new Map<string, number>();
  let open = 0;
  return {
    /** Takes a place until the returned function is called. Throws `rate_limit_error`. */
    take: (keyId: string): (() => void) => {
      const ofKey = ofKeys.get(keyId) ?? 0;
      if (open >= settings.PARLEY_MAX_STREAMS || ofKey >= settings.PARLEY_MAX_STREAMS_PER_KEY) {
        const message = "Too many open streams: close some, or try again later";
        throw new ParleyError("rate_limit_error", message, { retryAfterSeconds: 5 });
      }
      open++;
      ofKeys.set(keyId, ofKey + 1);
      return () => {
        open--;
        const left = (ofKeys.get(keyId) ?? 1) - 1;
        if (left === 0) ofKeys.delete(keyId);
        else ofKeys.set(keyId, left);
      };
    },
  };
}
