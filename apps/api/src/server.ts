import {
  type Core,
  createAgentDirectory,
  createFunctionDirectory,
  createCredentials,
  createRefusedCredentials,
} from "@parley/core";
import { Registry } from "prom-client";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import type { ApiSettings } from "./config.ts";
import { sendError } from "./errors.ts";
import { registerCors } from "./cors.ts";
import { registerDownloads } from "./downloads.ts";
import { registerForms } from "./forms.ts";
import { registerGuards } from "./guards.ts";
import { registerHealth } from "./health.ts";
import { createHttpServer } from "./http-server.ts";
import { createMalformedHttp } from "./malformed-http.ts";
import { registerNotFound } from "./not-found.ts";
import { createKeptAnswers } from "./kept-answers.ts";
import { createApiMetrics } from "./metrics.ts";
import { createOpenStreams } from "./open-streams.ts";
import { watchOverload } from "./overload.ts";
import { createRateLimits } from "./rate-limits.ts";
import { registerReference } from "./reference.ts";
import { createRepeats } from "./repeats.ts";
import { requestIdOf } from "./request-id.ts";
import type { ApiServices } from "./requests.ts";
import { registerRest } from "./rest.ts";
import { registerRpc } from "./rpc.ts";
import type { SharedCounters } from "./shared-limiter.ts";
import { registerStreams } from "./streams.ts";
import { registerUploads } from "./uploads.ts";

const BODY_LIMIT_BYTES = 8 * 1024 * 1024;
const SWEEP_INTERVAL_MS = 50;
/** After the last stream was ended: time for readers to take what was written for them. */
const CUT_AFTER_MS = 2000;

export interface ApiOptions {
  readonly core: Core;
  readonly settings: ApiSettings;
  readonly logger: FastifyBaseLogger;
  /** Where the processes of the server count calls together; without it, each counts its own. */
  readonly sharedCounters?: SharedCounters | undefined;
  /** Where what is measured can be read. */
  readonly registry?: Registry | undefined;
}

/** An HTTP server that is built but does not listen yet. */
export interface Api {
  readonly app: FastifyInstance;
  /** Has /readyz say that the server will shut down, and answers everything else as before. */
  leave(): void;
  /**
   * Refuses new work, ends blocking waits at once and streams over `patienceMs` at most, and resolves
   * when all is answered; who has not taken its answer a little later is cut off.
   */
  close(patienceMs: number): Promise<void>;
}

/** Builds the HTTP server: guards, REST, streams, RPC, health, in this order. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { core, settings, logger, registry = new Registry() } = options;
  const malformedHttp = createMalformedHttp();
  const proxies = settings.PARLEY_TRUSTED_PROXIES;
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "requestId",
    }),
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: (handle) =>
      createHttpServer(settings, (request, response) => {
        repeats.answer(request, response, () => handle(request, response));
      }),
    trustProxy: proxies.length === 0 ? false : proxies,
    rewriteUrl: ({ url = "/" }) => toOriginForm(url),
    routerOptions: { maxParamLength: 16_384 },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: requestIdOf,
    frameworkErrors: (error, request, reply) => sendError(error, request, reply as never),
    clientErrorHandler: malformedHttp.answer,
  });
  malformedHttp.watch(app.server);
  const credentials = createCredentials(core);
  const overload = watchOverload(core, settings);
  const metrics = createApiMetrics(registry, () => overload.loopDelayMs());
  const services: ApiServices = {
    core,
    settings,
    logger,
    credentials,
    refusedCredentials: createRefusedCredentials(core, {
      onError: (error) => logger.error({ err: error }, "Refused credentials were not recorded"),
    }),
    agents: createAgentDirectory(core),
    functions: createFunctionDirectory(core),
    rateLimits: createRateLimits(settings, options.sharedCounters, metrics.limited),
    overload,
    metrics,
    openStreams: createOpenStreams({ core, credentials, settings, metrics }),
    keptAnswers: createKeptAnswers(),
    openRequests: new Set(),
    leaving: false,
    draining: false,
  };
  const repeats = createRepeats(services);
  app.decorateRequest("caller", null);
  app.decorateRequest("idempotencyKey", undefined);
  app.setErrorHandler(sendError);
  metrics.requests.watch(app);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    // Who keeps connections open comes back on one to another process.
    if (services.leaving) reply.header("connection", "close");
  });
  await registerGuards(app);
  await registerCors(app, settings);
  registerNotFound(app);
  registerHealth(app, services);
  registerReference(app, services);
  registerRest(app, services, repeats);
  registerStreams(app, services);
  registerUploads(app, services);
  registerForms(app, services);
  registerDownloads(app, services);
  registerRpc(app, services);
  return {
    app,
    leave: () => {
      services.leaving = true;
    },
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
      services.functions.close();
    },
  };
}

/** The path and query of a request that was addressed to a proxy, with the host before them. */
function toOriginForm(url: string): string {
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, "/");
}
