import { appRouter, renderRpcError, toParleyError } from "@parley/rpc";
import { endpoints, type Endpoint, ParleyError, type RateLimitClass } from "@parley/schema";
import { fastifyRequestHandler } from "@trpc/server/adapters/fastify";
import type { FastifyInstance } from "fastify";
import { logUnexpected, sendError } from "./errors.ts";
import { type ApiServices, authenticate, callerOf, procedureContext } from "./requests.ts";
import { decodeBody } from "./rest.ts";

const MAX_BATCH = 50;
const forbidden = new Set(["__proto__", "constructor", "prototype"]);

/**
 * superjson throws on these member names, which would fail every call of a batch with a 500.
 * Throws `invalid_request_error`.
 */
function requireSafeJson(text: string): void {
  if (!/proto|constructor|\\u/.test(text)) return;
  let found: string | undefined;
  try {
    JSON.parse(text, (key, value: unknown) => {
      if (forbidden.has(key)) found = key;
      return value;
    });
  } catch {
    return; // tRPC says what is malformed.
  }
  if (found !== undefined) {
    throw new ParleyError(
      "invalid_request_error",
      `Invalid request body: no member may be named ${found}`,
    );
  }
}

/** The names in the path of a call or a batch, as tRPC reads them. */
function calledProcedures(path: string, parameters: URLSearchParams): string[] {
  return parameters.get("batch") === "1" ? path.split(",") : [path];
}

function rateLimitOf(procedure: string): RateLimitClass {
  const endpoint: Endpoint | undefined = endpoints[procedure as keyof typeof endpoints];
  // What is not known costs something too.
  return endpoint?.rateLimit ?? "operate";
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
        async (_request: unknown, body: Buffer) => {
          const text = decodeBody(body);
          requireSafeJson(text);
          return text;
        },
      );
      app.addHook<{ Params: { "*": string } }>("onRequest", async (request, reply) => {
        await authenticate(services, request);
        const { searchParams: parameters } = new URL(request.url, "http://parley");
        const names = calledProcedures(request.params["*"], parameters);
        await services.rateLimits.consumeEach(
          names.slice(0, MAX_BATCH).map(rateLimitOf),
          callerOf(request).apiKey.sid,
          (headers) => void reply.headers(headers),
        );
        if (names.length > MAX_BATCH) {
          throw new ParleyError(
            "invalid_request_error",
            `Invalid query parameters: a batch has at most ${MAX_BATCH} calls`,
          );
        }
        const input = parameters.get("input");
        if (input !== null) requireSafeJson(input);
      });
      app.route<{ Params: { "*": string } }>({
        method: ["GET", "POST"],
        url: "/*",
        handler: (request, reply) =>
          fastifyRequestHandler({
            router: appRouter,
            req: request,
            res: reply,
            path: request.params["*"],
            allowBatching: true,
            onError: ({ error }) => logUnexpected(toParleyError(error), request),
            createContext: async () => procedureContext(services, request, reply),
          }),
      });
    },
    { prefix: "/rpc" },
  );
}
