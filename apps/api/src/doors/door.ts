import {
  type Context,
  findIdempotencyKey,
  implementations,
  type LogStream,
  requireWorkspace,
} from "@parley/core";
import { authorizeWorkspace, type ProcedureContext, renderError, toParleyError } from "@parley/rpc";
import {
  type DoorEndpoint,
  type EndpointName,
  type Endpoints,
  endpoints,
  HttpInput,
  maxValuesOf,
  type ParsedInputOf,
  ParleyError,
  parseInput,
  pathsOf,
  type RateLimitClass,
  type StreamEndpoint,
} from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { sendError } from "../http/error-response.ts";
import { authenticate, callerOf } from "../requests/authenticate.ts";
import { takePlace, takeTurnOfQuery } from "../requests/body-costs.ts";
import type { CallParts } from "../requests/call-endpoint.ts";
import { charge, createChargeRequest } from "../requests/charge-request.ts";
import { procedureContext } from "../requests/procedure-context.ts";
import type { ApiServices, Exchange } from "../services.ts";
import { routePath } from "../transports/endpoints-of-kind.ts";
import { reserveStream, type StreamPlace } from "../transports/sse.ts";

/** A request at a door. */
export interface DoorExchange extends Exchange {
  readonly services: ApiServices;
  /** The context of the procedures that the door calls. */
  readonly context: ProcedureContext & Context;
  /** The place of the stream that answers, if it is held already. */
  readonly place?: StreamPlace;
}

/** How a door says why it refuses, in its protocol's words. */
export type RenderError = (error: ParleyError, requestId: string) => object;

interface Door<E extends DoorEndpoint> {
  readonly endpoint: E;
  /** Answers a request: with JSON, or with undefined once it has answered itself. */
  readonly handle: (exchange: DoorExchange, input: ParsedInputOf<E>) => Promise<unknown>;
  readonly renderError?: RenderError;
  /** Whether HEAD is answered too, by the same function. */
  readonly answersHead?: boolean;
  /** The limit that a request counts against, where it is not always the endpoint's: only of those without a key. */
  readonly rateLimitOf?: (request: FastifyRequest) => RateLimitClass;
}

/**
 * Serves an operation in another protocol's words: the request is authenticated, charged, bounded and parsed as one of
 * REST. What the door does, it does by the procedures of others (`callEndpoint`, `openLog`), as its caller.
 */
export function registerDoor<E extends DoorEndpoint>(
  app: FastifyInstance,
  services: ApiServices,
  { endpoint, handle, renderError: render = renderError, ...door }: Door<E>,
): void {
  const { answersHead = false, rateLimitOf } = door;
  const chargeRequest = createChargeRequest(services, endpoint);
  const maxValues = maxValuesOf(endpoint);
  for (const path of pathsOf(endpoint)) {
    app.route({
      method: endpoint.method,
      url: routePath(path),
      exposeHeadRoute: answersHead,
      onRequest: async (request, reply) => {
        await authenticate(services, request);
        requireWorkspace(callerOf(request), workspaceOf(request));
        const exchange = { request, reply };
        if (rateLimitOf === undefined) request.idempotencyKey = await chargeRequest(exchange);
        else await charge(services, { rateLimit: rateLimitOf(request) }, exchange);
        request.maxValues = maxValues;
        await takePlace(services, exchange);
        await takeTurnOfQuery(services, request);
      },
      errorHandler: (error, request, reply) => sendError(error, request, reply, render),
      handler: async (request, reply) => {
        const { idempotencyKey } = request;
        const context = procedureContext(services, { request, reply }, { idempotencyKey });
        const startedAt = performance.now();
        let failure: unknown;
        try {
          const authorized = authorizeWorkspace(endpoint, context, workspaceOf(request));
          const { params, query, body } = request;
          const wId = workspaceOf(request);
          const raw = new HttpInput({ params: { wId, ...(params as object) }, query, body });
          const input = parseInput(endpoint, raw);
          // The line of the call is the door's; those that it calls only note how they went.
          const quiet = { ...authorized, onCall: noteHealth(services) };
          const answer = await handle({ request, reply, services, context: quiet }, input);
          if (answer === undefined || reply.sent) return reply;
          return await reply.code(endpoint.status).send(answer);
        } catch (error) {
          failure = error;
          throw error;
        } finally {
          context.onCall({ endpoint, durationMs: performance.now() - startedAt, error: failure });
        }
      },
    });
  }
}

/**
 * Does what ends in a stream while the stream's place is held. Throws `rate_limit_error` if too many streams are open, before
 * anything is done.
 */
export async function withPlace<T>(
  exchange: DoorExchange,
  work: (holding: DoorExchange) => Promise<T>,
): Promise<T> {
  const place = reserveStream(exchange.services, exchange);
  try {
    return await work({ ...exchange, place });
  } finally {
    place.release();
  }
}

/**
 * The same exchange with what its Idempotency-Key is stored for by now: to be asked after a door has found what a request
 * continues, because another request with the key may have created that since this one arrived.
 */
export async function withStoredKey(exchange: DoorExchange): Promise<DoorExchange> {
  const { services, context } = exchange;
  const { idempotencyKey: key } = context;
  if (key?.scope === undefined || key.stored !== undefined) return exchange;
  const of = { workspaceId: context.caller.workspace.id, scope: key.scope };
  const stored = await findIdempotencyKey(services.core, of);
  return { ...exchange, context: { ...context, idempotencyKey: { ...key, stored } } };
}

/** The same exchange for what is done after its client has gone or its key is used up. */
export function detached({ context, ...exchange }: DoorExchange): DoorExchange {
  const { signal } = new AbortController();
  return {
    ...exchange,
    context: { ...context, signal, isWanted: undefined, idempotencyKey: undefined },
  };
}

/** The workspace that the path names, or else the caller's. Throws `workspace_auth_error` if there is neither. */
function workspaceOf(request: FastifyRequest): string {
  const { wId } = request.params as { wId?: string };
  const caller = callerOf(request);
  if (wId !== undefined) return wId;
  if (caller.kind === "workspace") return caller.workspace.sid;
  const message =
    "The key is an operator's, which belongs to no workspace: use a key of a workspace";
  throw new ParleyError("workspace_auth_error", message);
}

function noteHealth({ writeHealth }: ApiServices): ProcedureContext["onCall"] {
  return ({ error }) => writeHealth.note(error === undefined ? undefined : toParleyError(error));
}

type StreamName = {
  [N in EndpointName]: Endpoints[N] extends StreamEndpoint ? N : never;
}[EndpointName];

type FindLog = (context: DoorExchange["context"], input: never) => Promise<LogStream>;

/** Finds the log of a stream as the caller: throws like the stream's endpoint. */
export async function openLog(
  { context }: Pick<DoorExchange, "context">,
  name: StreamName,
  { params = {}, query = {} }: CallParts,
): Promise<LogStream> {
  const endpoint: StreamEndpoint = endpoints[name];
  const wId = context.caller.workspace.sid;
  const input = parseInput(
    endpoint,
    new HttpInput({ params: { wId, ...params }, query, body: undefined }),
  );
  const find = implementations[name] as FindLog;
  // The input of each finder is that of its endpoint's schemas.
  return find(authorizeWorkspace(endpoint, context, wId), input as never);
}
