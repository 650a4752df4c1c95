import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { Caller } from "@parley/core";
import type { KeptQuestion } from "@parley/rpc";
import type { JsonEndpoint } from "@parley/schema";
import type { FastifyReply, FastifyRequest } from "fastify";
import { LRUCache } from "lru-cache";
import { hasBody } from "./guards.ts";
import { requestIdOf } from "./request-id.ts";
import { type ApiServices, callerOf, describeCaller, logCall } from "./requests.ts";
import { formKept, varyOf } from "./send-kept.ts";

const MAX_REPEATS = 1000;

/** What a request was charged before it was handed on. */
export interface Charge {
  readonly headers: Readonly<Record<string, string>>;
  /** Why it is refused; undefined where it is not. */
  readonly refusal: unknown;
}

/** What a request asked that is answered from what is kept. */
export interface Asked {
  readonly endpoint: JsonEndpoint;
  readonly question: KeptQuestion;
}

/**
 * Answers requests that repeat one that was answered from what is kept, without another way through
 * the framework. A repeat has the same address, credential, host and origin, so whatever was checked
 * and set for the first holds for it, for as long as its caller is trusted. What differs in anything
 * goes the long way: there alone requests are checked and refused.
 */
export interface Repeats {
  /** Remembers a request whose headers are set but for those of its kept answer. */
  remember(request: FastifyRequest, reply: FastifyReply, asked: Asked): void;
  /** Answers a repeat; hands on all else, at once or later. */
  answer(request: IncomingMessage, response: ServerResponse, handOn: () => void): void;
  /** What a request was charged before it was handed on. */
  chargeOf(request: IncomingMessage): Charge | undefined;
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

interface Repeat {
  readonly endpoint: JsonEndpoint;
  readonly caller: Caller;
  readonly key: string;
  readonly recentState: KeptQuestion["state"]["recent"];
  /** Names and values in turn, as they were set. */
  readonly headers: readonly string[];
  /** Where among them the value of the request's id is. */
  readonly idAt: number;
  readonly vary: string;
}

/** The charge where nothing is limited. */
const free: Charge = { headers: {}, refusal: undefined };

/** Remembers a bounded number of requests; those that were not repeated longest go first. */
export function createRepeats(services: ApiServices): Repeats {
  const repeats = new LRUCache<string, Repeat>({ max: MAX_REPEATS });
  const charges = new WeakMap<IncomingMessage, Charge>();

  /** Whether the request was answered. */
  const send = async (repeat: Repeat, { request, response }: Exchange): Promise<boolean> => {
    const startedAt = performance.now();
    const { endpoint, caller, key, recentState } = repeat;
    const { rateLimit } = endpoint;
    const charge = services.rateLimits.limits(rateLimit) ? await consume(services, repeat) : free;
    // The long way fails on its own where the state cannot be read.
    const state =
      charge.refusal === undefined ? await recentState().catch(() => undefined) : undefined;
    const answer = state && services.keptAnswers.find(key, state);
    if (answer === undefined) {
      charges.set(request, charge);
      return false;
    }
    const form = formKept(request.headers, answer, repeat.vary);
    const { status, headers, body } = form instanceof Promise ? await form : form;
    const requestId = requestIdOf(request);
    const head = repeat.headers.slice();
    head[repeat.idAt] = requestId;
    for (const name in charge.headers) head.push(name.toLowerCase(), charge.headers[name] ?? "");
    for (const word of headers) head.push(word);
    response.writeHead(status, head).end(body);
    const durationMs = performance.now() - startedAt;
    services.metrics.requests.repeated(endpoint, status, durationMs);
    const about = { requestId, ...describeCaller(caller, request) };
    logCall(services.logger, { about, endpoint, durationMs });
    return true;
  };

  const sendOrHandOn = async (
    repeat: Repeat,
    exchange: Exchange,
    handOn: () => void,
  ): Promise<void> => {
    const { response } = exchange;
    // What fails here fails again on the long way, which tells of it.
    const isAnswered = await send(repeat, exchange).catch(() => response.headersSent);
    // Nobody waits for an answer on a connection that is gone.
    if (!isAnswered && !response.closed) handOn();
  };

  return {
    remember: (request, reply, { endpoint, question }) => {
      if (request.method !== "GET") return;
      const caller = callerOf(request);
      // The router may have been shown another address than was sent.
      const place = placeOf(request.raw, request.originalUrl);
      const { key, state } = question;
      const { recent: recentState } = state;
      repeats.set(place, { endpoint, caller, key, recentState, ...headersOf(reply) });
    },
    answer: (request, response, handOn) => {
      const repeat = mayRepeat(request) ? repeats.get(placeOf(request)) : undefined;
      if (
        repeat === undefined ||
        !isOpen(services) ||
        !services.credentials.isTrusted(repeat.caller)
      )
        return handOn();
      void sendOrHandOn(repeat, { request, response }, handOn);
    },
    chargeOf: (request) => charges.get(request),
  };
}

function mayRepeat(request: IncomingMessage): boolean {
  return request.method === "GET" && request.httpVersion === "1.1" && !hasBody(request);
}

/** All that the checks and the headers of a GET without a body depend on. */
function placeOf({ headers, url }: IncomingMessage, sentUrl = url): string {
  const { authorization, host, origin = "\n" } = headers;
  // None of them can hold a line break: a header that is not there is none that says so.
  return `${sentUrl}\n${authorization}\n${host}\n${origin}`;
}

async function consume(services: ApiServices, { endpoint, caller }: Repeat): Promise<Charge> {
  let headers = {};
  try {
    const subject = caller.apiKey.sid;
    await services.rateLimits.consume(endpoint.rateLimit, subject, (left) => (headers = left));
    return { headers, refusal: undefined };
  } catch (refusal) {
    return { headers, refusal };
  }
}

/** Whether requests are taken now. */
function isOpen({ leaving, draining, overload }: ApiServices): boolean {
  try {
    overload.refuse();
    return !leaving && !draining;
  } catch {
    return false;
  }
}

/** Of these, each request has its own. */
const chargedHeaders = new Set(["ratelimit-policy", "ratelimit"]);

function headersOf(reply: FastifyReply): Pick<Repeat, "headers" | "idAt" | "vary"> {
  const headers: string[] = [];
  // Those that a hook set on Node's response go first. Node's types have the method on requests only.
  const response = reply.raw as ServerResponse & Pick<ClientRequest, "getRawHeaderNames">;
  const names = response.getRawHeaderNames();
  for (const name of names) headers.push(name, String(response.getHeader(name)));
  const early = new Set(names.map((name) => name.toLowerCase()));
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (early.has(name) || chargedHeaders.has(name) || name === "vary") continue;
    headers.push(name, String(value));
  }
  const idAt = headers.indexOf("x-request-id") + 1;
  const vary = reply.getHeader("vary");
  return { headers, idAt, vary: varyOf(vary === undefined ? undefined : String(vary)) };
}
