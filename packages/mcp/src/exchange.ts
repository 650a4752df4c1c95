import { extractWWWAuthenticateParams, type FetchLike } from "@modelcontextprotocol/client";
import {
  FetchFault,
  type FetchSession,
  type Guard,
  type GuardedInit,
  locationOf,
  requireAllowedUrl,
  sendableHeaders,
} from "@parley/guarded-fetch";
import { toStorable } from "@parley/schema";
import type { ServerMessage } from "./check-message.ts";
import type { McpLimits, McpServer } from "./contract.ts";
import { type Reason, reasonOf, reasonOfStatus } from "./failures.ts";
import { type AnswerEnd, checkEvents, readJsonAnswer } from "./read-answer.ts";

/** Progress that is passed on whatever its pace. */
const FREE = 50;
const INTERVAL_MS = 100;

/** Says of each progress of a call whether it is passed on: not what comes faster than anybody reads. */
function createPace(now: () => number = () => performance.now()): () => boolean {
  let [count, lastAt] = [0, 0];
  return () => {
    const at = now();
    if (++count > FREE && at - lastAt < INTERVAL_MS) return false;
    lastAt = at;
    return true;
  };
}

// The network of one listing or one call. The protocol's client asks for requests here. It sees only answers
// that were checked; what is wrong with one becomes the reason for which the exchange fails, since the
// client waits for an answer after most faults.

export interface Exchange {
  readonly fetch: FetchLike;
  /** Where the server is, after redirects. */
  readonly endpoint: URL;
  /** Aborted when the exchange has failed. */
  readonly signal: AbortSignal;
  /** Why it failed first. */
  readonly reason: Reason | undefined;
  /** Whether a call has left, or may have. */
  readonly isCallSent: boolean;
  /** Whether the server said that its tools changed. */
  readonly toolsChanged: boolean;
  /** Resolves when what the client says in leaving was said. */
  leave(): Promise<void>;
  close(): Promise<void>;
}

export interface ExchangeOptions extends McpLimits {
  readonly signal: AbortSignal;
  readonly endpoint?: URL | undefined;
  /** Whether to keep a stream open for what the server says of itself, beside the answer. */
  readonly listens: boolean;
}

/** What the client says in leaving: it may take this long, after the call was answered. */
const leaveLimits = { timeoutMs: 2000, maxBytes: 65_536, maxRequests: 8 };
const MAX_REDIRECTS = 3;
/** How often the stream beside the answer is opened, for servers that end it. */
const MAX_LISTENS = 3;

/** Opens an exchange. Throws a `FetchFault` for a URL that the guard refuses, and for unusable headers. */
export function openExchange(guard: Guard, server: McpServer, options: ExchangeOptions): Exchange {
  let endpoint = options.endpoint ?? requireAllowedUrl(server.url, guard.isAllowedHost);
  sendableHeaders(server.headers);
  const session = guard.open(options);
  const stop = new AbortController();
  const pending = new Set<string>();
  /** The requests whose streams ended before their answer, by the event after which these continue. */
  const resumable = new Map<string, string>();
  const farewells = new Set<Promise<unknown>>();
  let farewell: FetchSession | undefined;
  let reason: Reason | undefined;
  let isClosed = false;
  let hasCalled = false;
  let isCallSent = false;
  let toolsChanged = false;
  let listens = 0;

  const fail = (why: Reason): Error => {
    if (!isClosed) reason ??= why;
    stop.abort();
    return new Error(why.message);
  };
  session.signal.addEventListener("abort", () => {
    if (session.fault !== undefined) fail(reasonOf(session.fault));
  });
  if (session.fault !== undefined) fail(reasonOf(session.fault));

  const takeProgress = createPace();
  const reader = {
    onMessage: (message: ServerMessage): boolean => {
      if (message.type === "request") return true;
      if (message.type === "answer") {
        if (message.id !== null && pending.delete(message.id)) return true;
        throw new Error("The server answered another request than it was asked");
      }
      toolsChanged ||= message.method === "notifications/tools/list_changed";
      return message.method === "notifications/progress" && takeProgress();
    },
  };
  const badAnswer = (error: unknown): Reason =>
    error instanceof FetchFault
      ? reasonOf(error)
      : { code: "bad_answer", message: (error as Error).message };

  /** Reads the answer to a request, or a stream. `id` is what it must answer before it ends. */
  async function readAnswer(response: Response, id: string | undefined): Promise<Response> {
    const [type = ""] = (response.headers.get("content-type") ?? "").split(";");
    const essence = type.trim().toLowerCase();
    if (essence === "text/event-stream") {
      const onEnd = ({ error, lastEventId }: AnswerEnd) => {
        if (error !== undefined && !(error instanceof FetchFault)) fail(badAnswer(error));
        if (id === undefined || !pending.has(id)) return;
        if (lastEventId !== undefined) resumable.set(lastEventId, id);
        else fail(error === undefined ? endedEarly : badAnswer(error));
      };
      return checkEvents(response, { ...reader, onEnd });
    }
    if (essence !== "application/json") {
      const named = toStorable(essence).slice(0, 100);
      throw fail({ code: "bad_answer", message: `The answer's content type is "${named}"` });
    }
    try {
      return await readJsonAnswer(response, { ...reader, onEnd: () => {} });
    } catch (error) {
      throw fail(badAnswer(error));
    }
  }

  function redirectTarget(location: string): URL {
    try {
      return requireAllowedUrl(location, guard.isAllowedHost, endpoint);
    } catch (error) {
      throw fail({ ...badAnswer(error), isNotRun: true });
    }
  }

  /** Sends a request of the protocol; follows redirects that stay with the server, but with no call. */
  async function sendRequest(init: GuardedInit, isCall: boolean): Promise<Response> {
    for (let redirects = 0; ; redirects++) {
      const sending = { onSending: () => void (isCallSent ||= isCall) };
      const response = await session.fetch(endpoint, { ...init, ...sending, redirect: "manual" });
      const location = locationOf(response);
      if (location === undefined) return response;
      const target = redirectTarget(location);
      const keepsMethod = response.status === 307 || response.status === 308;
      const stays = target.origin === endpoint.origin && keepsMethod;
      if (isCall || !stays || redirects === MAX_REDIRECTS) {
        const message = `The server redirects to ${target.host}, which is not followed`;
        throw fail({ code: "bad_answer", message, isNotRun: true });
      }
      await response.body?.cancel();
      endpoint = target;
    }
  }

  async function request(init: GuardedInit, message: SentMessage): Promise<Response> {
    const isCall = message.method === "tools/call";
    if (isCall && hasCalled) throw fail({ code: "rejected", message: "A call is sent once" });
    hasCalled ||= isCall;
    const id = String(message.id);
    pending.add(id);
    let response: Response;
    try {
      response = await sendRequest(init, isCall);
    } catch (error) {
      throw fail(badAnswer(error));
    }
    if (response.ok) return readAnswer(response, id);
    const why = reasonOfStatus(response.status);
    // What an older server answers to the new greeting is for the client to judge.
    if (why.code !== "rejected") throw fail({ ...why, ...authorizationOf(response) });
    pending.delete(id);
    if (isCall && response.status !== 400) throw fail(why);
    return response;
  }

  async function stream(init: GuardedInit): Promise<Response> {
    const awaited = resumable.get(new Headers(init.headers).get("last-event-id") ?? "");
    if (awaited === undefined && (!options.listens || ++listens > MAX_LISTENS))
      return notListening();
    try {
      const response = await session.fetch(endpoint, { ...init, redirect: "manual" });
      if (response.ok) return await readAnswer(response, awaited);
      if (awaited !== undefined) throw fail(endedEarly);
      await response.body?.cancel();
      return notListening();
    } catch (error) {
      if (awaited !== undefined) throw fail(badAnswer(error));
      return notListening();
    }
  }

  async function sayFarewell(init: GuardedInit): Promise<Response> {
    farewell ??= guard.open(leaveLimits);
    const { signal: _, ...rest } = init;
    const said = farewell.fetch(endpoint, { ...rest, redirect: "manual" });
    farewells.add(said);
    return said;
  }

  const fetch: FetchLike = async (_url, init = {}) => {
    const guarded = init as GuardedInit;
    if (init.method === "DELETE") return sayFarewell(guarded);
    if (init.method !== "POST") return stream(guarded);
    const message = JSON.parse(String(init.body)) as SentMessage;
    if (message.method === "notifications/cancelled") return sayFarewell(guarded);
    if (message.method !== undefined && message.id !== undefined) return request(guarded, message);
    return session.fetch(endpoint, { ...guarded, redirect: "manual" });
  };

  return {
    fetch,
    signal: stop.signal,
    get endpoint() {
      return endpoint;
    },
    get reason() {
      return reason;
    },
    get isCallSent() {
      return isCallSent;
    },
    get toolsChanged() {
      return toolsChanged;
    },
    leave: async () => {
      await Promise.allSettled(farewells);
    },
    close: async () => {
      isClosed = true;
      await Promise.all([session.close(), farewell?.close()]);
    },
  };
}

/** A message that the client sends: a request has both members. */
interface SentMessage {
  readonly id?: number | string;
  readonly method?: string;
}

const endedEarly: Reason = { code: "unreachable", message: "The server ended before it answered" };

/** What says to the client that there is no stream beside the answer. */
const notListening = (): Response => new Response(null, { status: 405 });

function authorizationOf(response: Response): Pick<Reason, "authorization"> {
  if (!response.headers.has("www-authenticate")) return {};
  const { resourceMetadataUrl, scope, error } = extractWWWAuthenticateParams(response);
  const url = resourceMetadataUrl?.href;
  return {
    authorization: {
      ...(url !== undefined && url.length <= MAX_URL && { resourceMetadataUrl: url }),
      ...(scope !== undefined && scope.length <= MAX_SCOPE && { scope: toStorable(scope) }),
      ...(error === "insufficient_scope" && { error }),
    },
  };
}

const MAX_URL = 2048;
const MAX_SCOPE = 2048;
