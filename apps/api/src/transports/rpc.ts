import { appRouter, renderRpcError, toParleyError } from "@parley/rpc";
import {
  endpoints,
  type Endpoint,
  MAX_VALUES,
  maxValuesOf,
  ParleyError,
  type RateLimitClass,
  requireFewValues,
} from "@parley/schema";
import { incomingMessageToRequest } from "@trpc/server/adapters/node-http";
import { resolveResponse } from "@trpc/server/http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { logUnexpected, sendError } from "../http/error-response.ts";
import { decodeBody, requireSafeJson } from "../http/read-body.ts";
import { payerOf } from "../limits/payer.ts";
import { authenticate, callerOf } from "../requests/authenticate.ts";
import { takePlace, takeTurn, takeTurnOfQuery } from "../requests/body-costs.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import type { ApiServices } from "../services.ts";

const MAX_BATCH = 50;

/** The procedures in the path of a call or a batch, as tRPC reads them. */
function calledProcedures(path: string, parameters: URLSearchParams): string[] {
  return parameters.get("batch") === "1" ? path.split(",") : [path];
}

/**
 * Refuses a path that is still encoded: tRPC decodes it again, and would make other calls than were
 * charged. Throws `invalid_request_error`.
 */
function requireDecoded(path: string): void {
  if (!path.includes("%")) return;
  throw new ParleyError(
    "invalid_request_error",
    "Invalid path parameters: the name of a procedure has no %",
  );
}

const endpointOf = (procedure: string): Endpoint | undefined =>
  endpoints[procedure as keyof typeof endpoints];

/** Most values of the body of these calls, of which only the first few may be made. */
function maxValuesOfBatch(names: readonly string[]): number {
  const counts = names.slice(0, MAX_BATCH).map((name) => {
    const endpoint = endpointOf(name);
    return endpoint === undefined ? 0 : maxValuesOf(endpoint);
  });
  return Math.min(
    counts.reduce((sum, count) => sum + count, MAX_BATCH),
    MAX_VALUES,
  );
}

// Unknown procedures are charged too.
const rateLimitOf = (procedure: string): RateLimitClass =>
  endpointOf(procedure)?.rateLimit ?? "operate";

function takesCodes(procedure: string): boolean {
  const endpoint = endpointOf(procedure);
  return endpoint?.kind === "json" && endpoint.auth === "self-or-code";
}

/**
 * The request that tRPC reads. Its body is parsed from the text that was read: tRPC's adapter for Fastify would encode
 * that, join it and decode it again, which holds the event loop for 100 ms with 8 MiB.
 */
function toRequest(
  { inTurn }: ApiServices,
  { raw, body }: FastifyRequest,
  reply: FastifyReply,
): Request {
  const given = typeof body === "string" ? body : "";
  const bare = Object.assign(raw, { body: "" });
  const request = incomingMessageToRequest(bare, reply.raw, { maxBodySize: null });
  return Object.defineProperty(request, "json", {
    value: async () => inTurn(given.length, () => JSON.parse(given) as unknown),
  });
}

/** Serves the typed RPC below /rpc. */
export function registerRpc(root: FastifyInstance, services: ApiServices): void {
  void root.register(
    async (app) => {
      app.setErrorHandler((error, request, reply) =>
        sendError(error, request, reply, renderRpcError),
      );
      app.removeAllContentTypeParsers();
      app.addContentTypeParser<Buffer>(
        "application/json",
        { parseAs: "buffer" },
        async (request: FastifyRequest, body: Buffer) => {
          const text = await services.inTurn(body.length, () => decodeBody(request, body));
          await takeTurn(services, request, text);
          requireSafeJson(text);
          return text;
        },
      );
      app.addHook<{ Params: { "*": string } }>("onRequest", async (request, reply) => {
        const { searchParams: parameters } = new URL(request.url, "http://parley");
        const names = calledProcedures(request.params["*"], parameters);
        await authenticate(services, request, { takesCodes: names.every(takesCodes) });
        await services.rateLimits.consumeEach(
          names.slice(0, MAX_BATCH).map(rateLimitOf),
          payerOf(callerOf(request)),
          (headers) => void reply.headers(headers),
        );
        request.maxValues = maxValuesOfBatch(names);
        await takePlace(services, { request, reply });
        requireDecoded(request.params["*"]);
        if (names.length > MAX_BATCH) {
          throw new ParleyError(
            "invalid_request_error",
            `Invalid query parameters: a batch has at most ${MAX_BATCH} calls`,
          );
        }
        await takeTurnOfQuery(services, request);
        const input = parameters.get("input");
        if (input === null) return;
        requireFewValues(input);
        requireSafeJson(input);
      });
      app.route<{ Params: { "*": string } }>({
        method: ["GET", "POST"],
        url: "/*",
        handler: async (request, reply) => {
          const response = await resolveResponse({
            router: appRouter,
            req: toRequest(services, request, reply),
            path: request.params["*"],
            error: null,
            allowBatching: true,
            maxBatchSize: MAX_BATCH,
            onError: ({ error }) => logUnexpected(toParleyError(error), request),
            createContext: async () => procedureContext(services, { request, reply }),
          });
          return reply.send(response);
        },
      });
    },
    { prefix: "/rpc" },
  );
}
