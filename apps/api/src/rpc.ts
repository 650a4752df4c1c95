import { appRouter, renderRpcError, toParleyError } from "@parley/rpc";
import { endpoints, type Endpoint, ParleyError } from "@parley/schema";
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
      app.addHook("onRequest", async (request) => {
        await authenticate(services, request);
        const { input } = request.query as { input?: string };
        if (typeof input === "string") requireSafeJson(input);
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
            maxBatchSize: MAX_BATCH,
            onError: ({ error }) => logUnexpected(toParleyError(error), request),
            createContext: async ({ info }) => {
              const subject = callerOf(request).apiKey.sid;
              for (const { path } of info.calls) {
                const endpoint: Endpoint | undefined = endpoints[path as keyof typeof endpoints];
                await services.rateLimits.consume(
                  endpoint?.rateLimit ?? "operate",
                  subject,
                  (headers) => void reply.headers(headers),
                );
              }
              return procedureContext(services, request, reply);
            },
          }),
      });
    },
    { prefix: "/rpc" },
  );
}
