import { type Core, type RequestContext, seesAllOfWorkspace } from "@parley/core";
import {
  type Call,
  type NewSubscription,
  type OpenSubscription,
  type ProcedureContext,
  toParleyError,
} from "@parley/rpc";
import { isAuditedMutation, WEBHOOK_DEPTH_HEADER } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { cutOff, watchStall } from "../http/stalled-readers.ts";
import { parseTraceparent } from "../http/traceparent.ts";
import { readWebhookDepth } from "../http/webhook-depth.ts";
import { accountName, payerOf } from "../limits/payer.ts";
import type { ApiServices, Exchange } from "../services.ts";
import { callerOf, workspaceCallerOf } from "./authenticate.ts";
import { clientIpOf, logCall, noteRefused, noteUnlisted } from "./call-log.ts";
import { setSession } from "./session-cookie.ts";

/** How often a subscriber's progress is checked. */
const STALL_LOOK_MS = 1000;

/** The time of the database that counts as another read. */
const READ_MS = 10;

type Shared = Core & Pick<RequestContext, "agents" | "functions">;
const shared = new WeakMap<ApiServices, Shared>();

/**
 * The part of the context that all requests share. It is copied once, because the core has a getter that
 * makes each copy take 5 µs; its value no longer changes once there are requests.
 */
function sharedContext(services: ApiServices): Shared {
  const { core, agents, functions } = services;
  return shared.getOrInsertComputed(services, () => ({ ...core, agents, functions }));
}

/** The context of a request, with what a caller adds to it. */
export function requestContext<Added extends object>(
  services: ApiServices,
  request: FastifyRequest,
  added: Added & Pick<RequestContext, "signal">,
): RequestContext & Added {
  return {
    ...sharedContext(services),
    caller: callerOf(request),
    preferredWaitMs: parsePreferredWait(request.headers.prefer),
    origin: {
      requestId: request.id,
      traceparent: parseTraceparent(request.headers.traceparent),
      depth: readWebhookDepth(request.headers[WEBHOOK_DEPTH_HEADER]),
    },
    ...added,
  };
}

/** Members that a transport adds to the context of its procedures. */
type OfTransport = Pick<ProcedureContext, "idempotencyKey" | "streamsAnswers" | "responseCache">;

/** The context of the procedure that answers a request. */
export function procedureContext(
  services: ApiServices,
  { request, reply }: Exchange,
  ofTransport: OfTransport = {},
): ProcedureContext {
  const closed = new AbortController();
  let isClosed = false;
  services.openRequests.add(closed);
  reply.raw.once("close", () => {
    isClosed = true;
    services.openRequests.delete(closed);
    // A finished response leaves nothing to stop.
    if (!reply.raw.writableFinished) closed.abort();
  });
  return requestContext(services, request, {
    ...ofTransport,
    signal: closed.signal,
    isWanted: () => !isClosed,
    requestId: request.id,
    bodyBytes: request.bodyBytes,
    clientIp: clientIpOf(request),
    refusedMutations: services.refusedMutations,
    setSession: (session: Parameters<typeof setSession>[1]) =>
      setSession({ request, reply, publicUrl: services.core.publicUrl }, session),
    onCall: (call: Call) => {
      const error = call.error === undefined ? undefined : toParleyError(call.error);
      services.writeHealth.note(error);
      logCall(request, { ...call, error });
      // Over RPC, tRPC sends the error.
      if (error !== undefined) {
        reply.errorType = error.type;
        noteUnlisted(request, call.endpoint, error);
      }
      // Over RPC the workspace is part of the input; refused mutations are recorded separately.
      if (error?.status === 401 && !isAuditedMutation(call.endpoint))
        noteRefused(services, request, error);
    },
    onDatabaseMs: (ms: number) => {
      const spent = services.rateLimits.spend(
        "read",
        payerOf(callerOf(request)),
        Math.floor(ms / READ_MS),
      );
      spent.catch(services.core.onLateFailure);
    },
    takeTurns: (count: number) =>
      services.loopShares.takeTurns(accountName(payerOf(callerOf(request))), count),
    openStream: (stream: NewSubscription) => openStream(services, stream, { request, reply }),
  });
}

/** Reserves a place among the open streams for the response. Throws `rate_limit_error`. */
function openStream(
  services: ApiServices,
  { name, isResumed, space }: NewSubscription,
  { request, reply }: Exchange,
): OpenSubscription {
  const response = reply.raw;
  const ended = new AbortController();
  const { streams } = services.metrics;
  const counts = streams.of(name, "rpc");
  const caller = workspaceCallerOf(request);
  const release = services.openStreams.open({
    name,
    counts,
    isResumed,
    ...payerOf(caller),
    seesAll: seesAllOfWorkspace(caller),
    space,
    authorization: request.headers.authorization,
    end: (refusal) => ended.abort(refusal),
  });
  const stall = watchStall(response, services.settings.PARLEY_STREAM_STALL_MS, () => {
    streams.evicted(name, "stalled");
    cutOff(response);
  });
  // tRPC writes the response, so the reader's progress is polled.
  const looking = setInterval(() => {
    if (response.writableLength > 0) stall.start();
  }, STALL_LOOK_MS).unref();
  const close = () => {
    clearInterval(looking);
    stall.stop();
    release();
    ended.abort();
  };
  // The client may have disconnected already.
  if (response.closed) close();
  else response.once("close", close);
  reply.answered();
  return { signal: ended.signal, onEvent: () => counts.sent++ };
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
