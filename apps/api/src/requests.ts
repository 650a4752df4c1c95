import {
  type AgentDirectory,
  type FunctionDirectory,
  type Caller,
  type Core,
  type Credentials,
  type IdempotencyKey,
  KnownKeyRefused,
  type RefusedCredentials,
  type RequestContext,
  requireWorkspace,
} from "@parley/core";
import {
  type Call,
  type NewSubscription,
  type OpenSubscription,
  type ProcedureContext,
  toParleyError,
} from "@parley/rpc";
import { type Endpoint, isAct, ParleyError } from "@parley/schema";
import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from "fastify";
import type { ApiSettings } from "./config.ts";
import type { KeptAnswers } from "./kept-answers.ts";
import type { ApiMetrics } from "./metrics.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { Overload } from "./overload.ts";
import type { RateLimits } from "./rate-limits.ts";
import { parseTraceparent, traceIdOf } from "./traceparent.ts";

/** Room for an IPv6 address with its zone. */
const MAX_ADDRESS_LENGTH = 64;

/** What the transports share. */
export interface ApiServices {
  readonly core: Core;
  readonly settings: ApiSettings;
  readonly logger: FastifyBaseLogger;
  readonly credentials: Credentials;
  readonly refusedCredentials: RefusedCredentials;
  readonly agents: AgentDirectory;
  readonly functions: FunctionDirectory;
  readonly rateLimits: RateLimits;
  readonly overload: Overload;
  readonly metrics: ApiMetrics;
  readonly openStreams: OpenStreams;
  /** Answers from what was answered before. */
  readonly keptAnswers: KeptAnswers;
  /** Requests that are being answered; aborted when the server shuts down. */
  readonly openRequests: Set<AbortController>;
  /** Whether the server will shut down: proxies are told, and it goes on until they know. */
  leaving: boolean;
  /** Whether the server shuts down and takes no new work. */
  draining: boolean;
}

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the credential check. */
    caller: Caller | null;
    /** Set where a request with an Idempotency-Key was admitted. */
    idempotencyKey: IdempotencyKey | undefined;
  }
}

/**
 * Checks that the server takes requests, and the credential. Refused credentials are recorded in the
 * audit log; they count against their address, and never against a good key.
 */
export async function authenticate(services: ApiServices, request: FastifyRequest): Promise<void> {
  if (services.draining) {
    throw new ParleyError("service_unavailable", "The server is shutting down: try again", {
      retryAfterSeconds: 1,
    });
  }
  refuseOverload(services);
  try {
    request.caller = await services.credentials.authenticate(request.headers.authorization);
    const { wId } = request.params as { wId?: string };
    if (wId !== undefined) requireWorkspace(request.caller, wId);
    nameCaller(request, request.caller);
  } catch (error) {
    if (error instanceof ParleyError && error.status === 401) {
      noteRefused(services, request, error);
      await services.rateLimits.consumeFailure(request.ip);
    }
    throw error;
  }
}

function refuseOverload({ overload, metrics }: ApiServices): void {
  try {
    overload.refuse();
  } catch (error) {
    metrics.limited("overload");
    throw error;
  }
}

/** Public id of the workspace that a key is of; none for an operator's. */
export function workspaceIdOf(caller: Caller): string | undefined {
  return caller.kind === "workspace" ? caller.workspace.sid : undefined;
}

/** From here on, whatever is logged of the request says whose it is. */
function nameCaller(request: FastifyRequest, caller: Caller): void {
  request.log = request.log.child(describeCaller(caller, request));
}

/** What every line of a caller's request says. */
export function describeCaller(caller: Caller, { headers }: Pick<FastifyRequest, "headers">) {
  return {
    workspaceId: workspaceIdOf(caller),
    keyId: caller.apiKey.sid,
    traceId: traceIdOf(parseTraceparent(headers.traceparent)),
  };
}

function noteRefused(services: ApiServices, request: FastifyRequest, error: ParleyError): void {
  services.metrics.credentialRefused(error.type);
  services.refusedCredentials.note({
    type: error.type,
    address: addressOf(request),
    route: `${request.method} ${request.routeOptions.url ?? ""}`,
    requestId: request.id,
    caller: error instanceof KnownKeyRefused ? error.caller : (request.caller ?? undefined),
  });
}

/** The address of the client. A forwarded one is whatever was sent, so it is cut. */
function addressOf(request: FastifyRequest): string {
  // Whatever the type says: a client that has gone has none.
  const address = request.ip as string | undefined;
  return address?.slice(0, MAX_ADDRESS_LENGTH) ?? "unknown";
}

/** What is checked before a byte of the body is read: the credential, and the limit on its calls. */
export async function admit(
  services: ApiServices,
  { rateLimit }: Pick<Endpoint, "rateLimit">,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  await authenticate(services, request);
  const setHeaders = (headers: Record<string, string>) => void reply.headers(headers);
  await services.rateLimits.consume(rateLimit, callerOf(request).apiKey.sid, setHeaders);
}

/** The caller of a request whose credential was checked. */
export function callerOf(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.routeOptions.url} is not authenticated`);
  return request.caller;
}

/** What the request gives to what answers it. */
export function requestContext(
  services: ApiServices,
  request: FastifyRequest,
  signal: AbortSignal,
): RequestContext {
  return {
    ...services.core,
    caller: callerOf(request),
    agents: services.agents,
    functions: services.functions,
    signal,
    preferredWaitMs: parsePreferredWait(request.headers.prefer),
    origin: {
      requestId: request.id,
      traceparent: parseTraceparent(request.headers.traceparent),
    },
  };
}

/** What the request gives to the procedure that answers it. */
export function procedureContext(
  services: ApiServices,
  request: FastifyRequest,
  reply: FastifyReply,
): ProcedureContext {
  const closed = new AbortController();
  services.openRequests.add(closed);
  reply.raw.once("close", () => {
    services.openRequests.delete(closed);
    // Only who is still waited for has something to stop.
    if (!reply.raw.writableFinished) closed.abort();
  });
  return {
    ...requestContext(services, request, closed.signal),
    requestId: request.id,
    address: addressOf(request),
    onCall: (call) => {
      const error = call.error === undefined ? undefined : toParleyError(call.error);
      logCall(request.log, { ...call, error });
      // Over RPC the answer is tRPC's.
      if (error !== undefined) reply.errorType = error.type;
      // Over RPC the workspace is part of the input; what was refused of an act is its own record.
      if (error?.status === 401 && !isAct(call.endpoint)) noteRefused(services, request, error);
    },
    openStream: (stream) => openStream(services, stream, { request, reply }),
    answerKept: undefined,
  };
}

/** Takes a place for the answer among the open streams. Throws `rate_limit_error`. */
function openStream(
  services: ApiServices,
  { name, isResumed }: NewSubscription,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): OpenSubscription {
  const response = reply.raw;
  const ended = new AbortController();
  const { streams } = services.metrics;
  const counts = streams.of(name, "rpc");
  const release = services.openStreams.open({
    name,
    counts,
    isResumed,
    keyId: callerOf(request).apiKey.sid,
    authorization: request.headers.authorization,
    end: (refusal) => ended.abort(refusal),
  });
  const close = () => {
    release();
    ended.abort();
  };
  // The client may have gone while the stream was looked for.
  if (response.closed) close();
  else response.once("close", close);
  response.setTimeout(services.settings.PARLEY_STREAM_STALL_MS, () => {
    if (response.writableLength === 0) return;
    streams.evicted(name, "stalled");
    response.destroy();
  });
  reply.answered();
  return { signal: ended.signal, onEvent: () => counts.sent++ };
}

/** What is logged of a call. */
interface LoggedCall extends Omit<Call, "error"> {
  readonly error?: ParleyError | undefined;
  /** Which call it is and whose, where the logger does not say so. */
  readonly about?: object;
}

/** Logs one line of a call. */
export function logCall(log: FastifyBaseLogger, call: LoggedCall): void {
  const { about, endpoint, durationMs, error } = call;
  log.info(
    {
      ...about,
      durationMs: Math.round(durationMs * 10) / 10,
      // The type alone: a message may hold what somebody wrote.
      error: error?.type,
    },
    endpoint.summary,
  );
}

/** Reads `Prefer` (RFC 7240): `respond-async` waits 0 s, `wait=N` N seconds. */
export function parsePreferredWait(header: string | string[] | undefined): number | undefined {
  const preferences = String(header ?? "")
    .split(",")
    .map((preference) => preference.trim().toLowerCase());
  if (preferences.includes("respond-async")) return 0;
  const wait = preferences.find((preference) => /^wait=\d{1,6}$/.test(preference));
  return wait === undefined ? undefined : Number(wait.slice("wait=".length)) * 1000;
}
