import { randomUUID } from "node:crypto";
import type { Socket } from "node:net";
import {
  type Core,
  createAgentDirectory,
  createCredentials,
  createRefusedCredentials,
} from "@parley/core";
import { endpoints, ParleyError } from "@parley/schema";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { ApiSettings } from "./config.ts";
import { sendError } from "./errors.ts";
import { registerHealth } from "./health.ts";
import { createOpenStreams } from "./open-streams.ts";
import { createRateLimits } from "./rate-limits.ts";
import type { ApiServices } from "./requests.ts";
import { registerRest } from "./rest.ts";
import { registerRpc } from "./rpc.ts";
import { registerStreams } from "./streams.ts";

const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const SWEEP_INTERVAL_MS = 50;
/** After the last stream was ended: time for readers to take what was written for them. */
const CUT_AFTER_MS = 2000;

export interface ApiOptions {
  readonly core: Core;
  readonly settings: ApiSettings;
  readonly logger: FastifyBaseLogger;
}

/** An HTTP server that is built but does not listen yet. */
export interface Api {
  readonly app: FastifyInstance;
  /**
   * Refuses new work, ends blocking waits at once and streams over `patienceMs` at most, and resolves
   * when all is answered; who has not taken its answer a little later is cut off.
   */
  close(patienceMs: number): Promise<void>;
}

/** Builds the HTTP server: credentials, REST, streams, RPC, health, in this order. */
export function createApi({ core, settings, logger }: ApiOptions): Api {
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: 60_000,
    routerOptions: { maxParamLength: 16_384 },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: ({ headers }) => acceptRequestId(headers["x-request-id"]) ?? randomUUID(),
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as never),
    clientErrorHandler: answerMalformedHttp,
  });
  const credentials = createCredentials(core);
  const services: ApiServices = {
    core,
    settings,
    logger,
    credentials,
    refusedCredentials: createRefusedCredentials(core, {
      onError: (error) => logger.error({ err: error }, "Refused credentials were not recorded"),
    }),
    agents: createAgentDirectory(core),
    rateLimits: createRateLimits(settings),
    openStreams: createOpenStreams(core, credentials, settings),
    openRequests: new Set(),
    draining: false,
  };
  app.decorateRequest("caller", null);
  app.setErrorHandler(sendError);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  registerNotFound(app);
  registerHealth(app, services);
  registerRest(app, services);
  registerStreams(app, services);
  registerRpc(app, services);
  return {
    app,
    close: async (patienceMs) => {
      services.draining = true;
      for (const request of services.openRequests) request.abort();
      // A connection that is kept alive is idle only once its last answer is sent.
      const sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_INTERVAL_MS);
      const cut = setTimeout(() => app.server.closeAllConnections(), patienceMs + CUT_AFTER_MS);
      try {
        await Promise.all([services.openStreams.close(patienceMs), app.close()]);
      } finally {
        clearInterval(sweep);
        clearTimeout(cut);
      }
      credentials.close();
      await services.refusedCredentials.close();
      services.agents.close();
    },
  };
}

function acceptRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && /^[\w.-]{1,128}$/.test(header) ? header : undefined;
}

/** Answers unknown routes, and known paths asked with a wrong method, before a body is read. */
function registerNotFound(app: FastifyInstance): void {
  const paths = Object.values(endpoints).flatMap((endpoint) => {
    if (endpoint.kind === "rpc") return [];
    const { method, path } = endpoint;
    const both = endpoint.kind === "stream" ? [path, path.replace("/api/", "/api/sse/")] : [path];
    return both.map((one) => ({
      method,
      pattern: new RegExp(`^${one.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
    }));
  });
  paths.push({ method: "GET", pattern: /^\/(?:livez|readyz)$/ });
  app.addHook("onRequest", async (request, reply) => {
    if (!request.is404) return;
    const [path = ""] = request.url.split("?");
    const allowed = paths.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
    if (allowed.length === 0) throw new ParleyError("not_found", "There is no such route");
    reply.header("Allow", [...new Set(allowed)].join(", "));
    throw new ParleyError(
      "method_not_supported_error",
      `${request.method} is not supported here: use ${allowed.join(" or ")}`,
    );
  });
}

/** Answers what is not HTTP, or breaks the parser's limits, with the error envelope. */
function answerMalformedHttp(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({
    error: { type: "invalid_request_error", message: "The request is not well-formed HTTP" },
  });
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
