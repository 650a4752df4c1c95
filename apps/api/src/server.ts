import { randomUUID } from "node:crypto";
import {
  type Core,
  createAgentDirectory,
  createCredentials,
  createRefusedCredentials,
} from "@parley/core";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { ApiSettings } from "./config.ts";
import { sendError } from "./errors.ts";
import { registerCors } from "./cors.ts";
import { registerDownloads } from "./downloads.ts";
import { registerForms } from "./forms.ts";
import { registerGuards } from "./guards.ts";
import { registerHealth } from "./health.ts";
import { createMalformedHttp } from "./malformed-http.ts";
import { registerNotFound } from "./not-found.ts";
import { createKeptAnswers } from "./kept-answers.ts";
import { createOpenStreams } from "./open-streams.ts";
import { watchOverload } from "./overload.ts";
import { createRateLimits } from "./rate-limits.ts";
import type { ApiServices } from "./requests.ts";
import { registerRest } from "./rest.ts";
import { registerRpc } from "./rpc.ts";
import { registerStreams } from "./streams.ts";
import { registerUploads } from "./uploads.ts";

const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
/** How long a connection may be silent beyond what a blocking create may wait. */
const SILENCE_MS = 30_000;
/** How often Node looks for requests that take too long. */
const CHECK_INTERVAL_MS = 1000;
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

/** Builds the HTTP server: guards, REST, streams, RPC, health, in this order. */
export async function createApi({ core, settings, logger }: ApiOptions): Promise<Api> {
  const malformedHttp = createMalformedHttp();
  const { PARLEY_REQUEST_TIMEOUT_MS: requestTimeout, PARLEY_TRUSTED_PROXIES: proxies } = settings;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout,
    // A blocking create is silent for as long as it waits.
    connectionTimeout: settings.PARLEY_BLOCKING_TIMEOUT_MS + SILENCE_MS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeout),
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // Node would refuse without a body; `registerGuards` has one.
      requireHostHeader: false,
    },
    trustProxy: proxies.length === 0 ? false : proxies,
    rewriteUrl: ({ url = "/" }) => toOriginForm(url),
    routerOptions: { maxParamLength: 16_384 },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: ({ headers }) => acceptRequestId(headers["x-request-id"]) ?? randomUUID(),
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as never),
    clientErrorHandler: malformedHttp.answer,
  });
  app.server.maxConnections = settings.PARLEY_MAX_CONNECTIONS;
  malformedHttp.watch(app.server);
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
    overload: watchOverload(core, settings),
    openStreams: createOpenStreams(core, credentials, settings),
    answerKept: createKeptAnswers(),
    openRequests: new Set(),
    draining: false,
  };
  app.decorateRequest("caller", null);
  app.decorateRequest("idempotencyKey", undefined);
  app.setErrorHandler(sendError);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
  });
  await registerGuards(app);
  await registerCors(app, settings);
  registerNotFound(app);
  registerHealth(app, services);
  registerRest(app, services);
  registerStreams(app, services);
  registerUploads(app, services);
  registerForms(app, services);
  registerDownloads(app, services);
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
      services.overload.close();
      credentials.close();
      await services.refusedCredentials.close();
      services.agents.close();
    },
  };
}

function acceptRequestId(header: string | string[] | undefined): string | undefined {
  return typeof header === "string" && /^[\w.-]{1,128}$/.test(header) ? header : undefined;
}

/** The path and query of a request that was addressed to a proxy, with the host before them. */
function toOriginForm(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, "/");
}
