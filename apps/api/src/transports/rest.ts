import { callProcedure } from "@parley/rpc";
import {
  endpoints,
  HttpInput,
  isAdministration,
  type JsonEndpoint,
  maxValuesOf,
  parseCountedJson,
  pathsOf,
} from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { decodeBody } from "../http/read-body.ts";
import { routePath } from "./endpoints-of-kind.ts";
import { authenticate } from "../requests/authenticate.ts";
import { createChargeRequest } from "../requests/charge-request.ts";
import { takePlace, takeTurn, takeTurnOfQuery } from "../requests/body-costs.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import { CachedResponse } from "../response-cache/response-cache.ts";
import { sendCached } from "../response-cache/send-cached.ts";
import type { ApiServices } from "../services.ts";
import { isLong } from "./json-pieces.ts";
import { sendJsonPieces } from "./send-pieces.ts";
import { formatData } from "./sse-frames.ts";

const EVENT_STREAM = "text/event-stream";

/** Serves every endpoint of kind json: each route passes its raw parts to the procedure. */
export function registerRest(app: FastifyInstance, services: ApiServices): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>(
    "application/json",
    { parseAs: "buffer" },
    // Clients send a content type with every request, also without a body.
    async (request: FastifyRequest, body: Buffer) => {
      if (body.length === 0) return undefined;
      const text = await services.inTurn(body.length, () => decodeBody(request, body));
      await takeTurn(services, request, text);
      return services.inTurn(body.length, () => parseCountedJson(text));
    },
  );
  for (const [name, endpoint] of Object.entries(endpoints)) {
    if (endpoint.kind !== "json") continue;
    for (const path of pathsOf(endpoint)) registerJson(app, services, { name, path, endpoint });
  }
}

function registerJson(
  app: FastifyInstance,
  services: ApiServices,
  { name, path, endpoint }: { name: string; path: string; endpoint: JsonEndpoint },
): void {
  const chargeRequest = createChargeRequest(services, endpoint);
  const maxValues = maxValuesOf(endpoint);
  app.route({
    method: endpoint.method,
    url: routePath(path),
    exposeHeadRoute: endpoint.method === "GET",
    onRequest: async (request, reply) => {
      await authenticate(services, request, {
        operators: isAdministration(endpoint),
        takesCodes: endpoint.auth === "self-or-code",
      });
      request.idempotencyKey = await chargeRequest({ request, reply });
      request.maxValues = maxValues;
      await takePlace(services, { request, reply });
      await takeTurnOfQuery(services, request);
    },
    handler: async (request, reply) => {
      const { params, query, body } = request;
      const context = procedureContext(
        services,
        { request, reply },
        {
          idempotencyKey: request.idempotencyKey,
          streamsAnswers: true,
          responseCache: services.responseCache,
        },
      );
      const input = new HttpInput({ params, query, body });
      const output = await callProcedure({ name, method: endpoint.method }, context, input);
      reply.code(endpoint.status);
      if (endpoint.status === 204) return reply.send();
      if (endpoint.response === "json-or-event" && request.headers.accept === EVENT_STREAM) {
        return reply.type(EVENT_STREAM).send(formatData(JSON.stringify(output)));
      }
      if (output instanceof CachedResponse) return sendCached(request, reply, output);
      if (isLong(output)) return sendJsonPieces(services.unreadResponses, reply, output);
      return reply.send(output);
    },
  });
}
