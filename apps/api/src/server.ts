import {
  type Core,
  createAgentDirectory,
  createFunctionDirectory,
  createCredentials,
  createRefusedCredentials,
  createRefusedMutations,
  createTokenIssuer,
  startActivityRecorder,
  startMeasureRecorder,
} from "@parley/core";
import { Registry } from "prom-client";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import { registerCallback } from "./authorization/callback.ts";
import { registerClientDocument } from "./authorization/client-document.ts";
import type { ApiSettings } from "./config.ts";
import type { ConsoleBuild } from "./console/build-page.ts";
import { registerConsole } from "./console/console.ts";
import { registerSite } from "./site/serve-site.ts";
import { registerAgUi } from "./doors/ag-ui/ag-ui.ts";
import { sendConversationAsRun, sendMessageAsRun } from "./doors/ag-ui/formats.ts";
import { registerChatCompletions } from "./doors/chat-completions/chat-completions.ts";
import { registerDurableStreams } from "./doors/durable-streams/durable-streams.ts";
import { registerOpenResponses } from "./doors/open-responses/open-responses.ts";
import { registerAiSdk } from "./doors/ai-sdk/ai-sdk.ts";
import { sendConversation, sendMessage } from "./doors/ai-sdk/formats.ts";
import { registerCors } from "./http/cors.ts";
import { sendRoutelessError } from "./http/error-response.ts";
import { registerGuards } from "./http/guards.ts";
import { createHttpServer, requestIdOf } from "./http/http-server.ts";
import { createMalformedHttp } from "./http/malformed-http.ts";
import { registerNotFound } from "./http/not-found.ts";
import { createDoor } from "./http/stop-listening.ts";
import { boundConnections } from "./limits/connections.ts";
import { createTurns } from "./limits/long-work.ts";
import { BODY_LIMIT_BYTES, createLoopShares } from "./limits/loop-shares.ts";
import { createOpenStreams } from "./limits/open-streams.ts";
import { watchOverload } from "./limits/overload.ts";
import { createRateLimits } from "./limits/rate-limits.ts";
import type { SharedCounters } from "./limits/redis-limiter.ts";
import { createWriteHealth, watchWorkers } from "./limits/worker-watch.ts";
import { watchUnreadResponses } from "./limits/unread-responses.ts";
import { registerMcp } from "./mcp/mcp.ts";
import { createApiMetrics } from "./metrics/api-metrics.ts";
import { registerPictures, registerReference } from "./reference/reference.ts";
import { readIssuer } from "./requests/read-issuer.ts";
import { createResponseCache } from "./response-cache/response-cache.ts";
import type { ApiServices } from "./services.ts";
import { registerDownloads } from "./transports/downloads.ts";
import { registerForms } from "./transports/forms.ts";
import { registerHealth } from "./transports/health.ts";
import { registerMultipart } from "./transports/multipart.ts";
import { registerRest } from "./transports/rest.ts";
import { registerRpc } from "./transports/rpc.ts";
import { sendAllInPieces } from "./transports/send-pieces.ts";
import { registerStreams } from "./transports/streams.ts";
import { registerTriggers } from "./triggers/receive-events.ts";
import { registerUploads } from "./transports/uploads.ts";

const SWEEP_INTERVAL_MS = 50;
/** Time for readers to take the rest of what was written after the last stream has ended. */
const CUT_AFTER_MS = 2000;

export interface ApiOptions {
  readonly core: Core;
  readonly settings: ApiSettings;
  readonly logger: FastifyBaseLogger;
  /** Counters that the processes of the server share; without them, each counts its own. */
  readonly sharedCounters?: SharedCounters | undefined;
  /** The registry of the process's metrics. */
  readonly registry?: Registry | undefined;
  /** Why the rest of the process does not work now, for /readyz. */
  readonly whyNotReady?: (() => string | undefined) | undefined;
  /** What holds the code of functions, for /readyz. */
  readonly sandboxBoundary?: (() => string | undefined) | undefined;
  /** Whether the process is root's, for /readyz. */
  readonly runsAsRoot?: boolean;
  /** Version of the server, for /readyz. */
  readonly version?: string | undefined;
  /** The demo's workspace, for the examples of /docs/api. */
  readonly demoWorkspaceId?: (() => string | undefined) | undefined;
  /** The build of the console, if it is built while the server serves. */
  readonly consoleBuild?: ConsoleBuild | undefined;
  /** Whether the process has no worker, so that those of others matter. */
  readonly watchesWorkers?: boolean;
}

/** An HTTP server that does not listen yet. */
export interface Api {
  readonly app: FastifyInstance;
  /** Makes /readyz say that the server will shut down; everything else continues. */
  leave(): void;
  /**
   * Refuses new work, ends blocking waits at once and streams within `gracePeriodMs`, and resolves when
   * every request has its response. Clients that have not read theirs soon after are cut off.
   */
  close(gracePeriodMs: number): Promise<void>;
}

/** Builds the HTTP server: guards, health, REST, streams, RPC, MCP, in this order. */
export async function createApi(options: ApiOptions): Promise<Api> {
  const { core, settings, logger, registry = new Registry() } = options;
  const malformedHttp = createMalformedHttp();
  const door = createDoor();
  const proxies = settings.PARLEY_TRUSTED_PROXIES;
  const unreadResponses = watchUnreadResponses({
    maxBytes: settings.PARLEY_UNREAD_BYTES,
    stallMs: settings.PARLEY_TRANSFER_IDLE_MS,
    onReset: (reason) => metrics.readerReset(reason),
  });
  const app = Fastify({
    loggerInstance: logger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "requestId",
    }),
    bodyLimit: BODY_LIMIT_BYTES,
    serverFactory: (handle) =>
      boundConnections(
        createHttpServer(settings, (request, response) => {
          unreadResponses.watch(response);
          door.enter(() => handle(request, response));
        }),
        settings,
      ),
    trustProxy: proxies.length === 0 ? false : proxies,
    rewriteUrl: ({ url = "/" }) => toOriginForm(url),
    routerOptions: { maxParamLength: 16_384 },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    genReqId: requestIdOf,
    frameworkErrors: (error, request, reply) => sendRoutelessError(error, request, reply as never),
    clientErrorHandler: malformedHttp.answer,
  });
  malformedHttp.watch(app.server);
  const issuer = readIssuer(settings);
  const credentials = createCredentials(core, issuer && createTokenIssuer(core, issuer));
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
    refusedMutations: createRefusedMutations(core, {
      onError: (error) => logger.error({ err: error }, "Refused mutations were not recorded"),
    }),
    agents: createAgentDirectory(core),
    functions: createFunctionDirectory(core),
    rateLimits: createRateLimits(settings, options.sharedCounters, metrics.limited),
    overload,
    metrics,
    loopShares: createLoopShares(metrics.limited),
    inTurn: createTurns(),
    openStreams: createOpenStreams({ core, credentials, settings, metrics }),
    responseCache: createResponseCache(),
    unreadResponses,
    writeHealth: createWriteHealth(),
    openRequests: new Set(),
    whyNotReady: options.whyNotReady ?? (() => undefined),
    sandboxBoundary: options.sandboxBoundary ?? (() => undefined),
    runsAsRoot: options.runsAsRoot ?? false,
    version: options.version,
    demoWorkspaceId: options.demoWorkspaceId ?? (() => undefined),
    workerWatch: options.watchesWorkers === true ? watchWorkers(core, logger) : undefined,
    leaving: false,
    draining: false,
  };
  const activity = startActivityRecorder(core, (error) =>
    logger.warn({ err: error }, "Activity was not recorded"),
  );
  const stopMeasures = startMeasureRecorder(core, (error) =>
    logger.warn({ err: error }, "Measures were not summed, or alerts not judged"),
  );
  app.decorateRequest("caller", null);
  app.decorateRequest("logFields", undefined);
  app.decorateRequest("bodyBytes", undefined);
  app.decorateRequest("maxValues", undefined);
  app.decorateRequest("idempotencyKey", undefined);
  app.setErrorHandler(sendRoutelessError);
  metrics.requests.watch(app);
  app.addHook("onRequest", async (request, reply) => {
    reply.header("x-request-id", request.id);
    // Makes clients reconnect, to another process. Node sends the header, whatever others are set.
    if (services.leaving || services.draining) reply.raw.shouldKeepAlive = false;
  });
  sendAllInPieces(app, unreadResponses);
  registerGuards(app);
  await registerCors(app, settings);
  registerConsole(app, options.consoleBuild);
  registerNotFound(app);
  registerHealth(app, services);
  registerSite(app, core);
  registerReference(app, services);
  registerPictures(app);
  registerRest(app, services);
  registerStreams(app, services, {
    "conversations.events": { "ai-sdk": sendConversation, "ag-ui": sendConversationAsRun },
    "messages.events": { "ai-sdk": sendMessage, "ag-ui": sendMessageAsRun },
  });
  registerMultipart(app, (scope) => {
    registerUploads(scope, services);
    registerForms(scope, services);
  });
  registerDownloads(app, services);
  registerRpc(app, services);
  registerMcp(app, services);
  registerAgUi(app, services);
  registerDurableStreams(app, services);
  registerOpenResponses(app, services);
  registerChatCompletions(app, services);
  registerAiSdk(app, services);
  registerTriggers(app, services);
  registerCallback(app, services);
  registerClientDocument(app, services);
  let leftAt = 0;
  return {
    app,
    leave: () => {
      services.leaving = true;
      leftAt = performance.now();
    },
    close: async (gracePeriodMs) => {
      services.draining = true;
      for (const request of services.openRequests) request.abort();
      const announcedForMs = services.leaving ? performance.now() - leftAt : 0;
      const cut = setTimeout(() => app.server.closeAllConnections(), gracePeriodMs + CUT_AFTER_MS);
      let sweep: NodeJS.Timeout | undefined;
      const stop = async (): Promise<void> => {
        await door.close(app.server, announcedForMs);
        // A kept-alive connection becomes idle only once its last response is sent.
        sweep = setInterval(() => app.server.closeIdleConnections(), SWEEP_INTERVAL_MS);
        await app.close();
      };
      try {
        await Promise.all([services.openStreams.close(gracePeriodMs), stop()]);
      } finally {
        clearInterval(sweep);
        clearTimeout(cut);
      }
      services.overload.close();
      unreadResponses.close();
      services.workerWatch?.close();
      credentials.close();
      await activity.close();
      await stopMeasures();
      await services.refusedCredentials.close();
      await services.refusedMutations.close();
      services.agents.close();
      services.functions.close();
    },
  };
}

/**
 * The path and query of a request target, which is absolute if the client took the server for a proxy. `*`, of
 * the server as a whole, is not a page.
 */
function toOriginForm(url: string): string {
  if (url === "*") return "/*";
  return url.startsWith("/") ? url : url.replace(/^https?:\/\/[^/?#]*\/?/i, "/");
}
