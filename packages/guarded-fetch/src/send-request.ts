import { pipeline, type Readable } from "node:stream";
import { Agent, buildConnector, type Dispatcher, errors } from "undici";
import type { Budget } from "./budget.ts";
import { FetchFault } from "./fetch-fault.ts";
import { pinnedLookup, type ResolveHost } from "./resolve-host.ts";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { ReadableStream as NodeStream } from "node:stream/web";

const decoders = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/**
 * Decodes a body by its `content-encoding`, in pieces that are read one by one. It is not asked for, but
 * some servers compress always. Throws a `FetchFault` for several codings, and for one that it does not know.
 */
function decodeBody(body: Readable, encoding: string | null): Readable {
  const coding = encoding?.trim().toLowerCase() ?? "";
  if (coding === "" || coding === "identity") return body;
  if (!Object.hasOwn(decoders, coding)) {
    body.on("error", () => {}).destroy();
    throw new FetchFault("bad_answer", "The answer is compressed in an unknown way");
  }
  // An error of the body is passed on, and a reader that stops early ends the body.
  return pipeline(body, decoders[coding as keyof typeof decoders](), () => {});
}

/** Headers, as `new Headers` takes them. */
export type HeaderValues = Headers | Readonly<Record<string, string>> | [string, string][];

/** A request to one URL. */
export interface SentRequest {
  readonly method: string;
  readonly headers?: HeaderValues;
  /** Names of headers that carry a secret, whatever they usually carry: they stay with their origin. */
  readonly secretHeaders?: readonly string[];
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | null;
  readonly onSending?: () => void;
}

/** Sends requests to URLs that were allowed, over connections to addresses that it checks. */
export interface Sender {
  send(url: URL, request: SentRequest, isAllowedHost: boolean): Promise<Response>;
  close(): Promise<void>;
}

const MAX_HEADER_BYTES = 16_384;
const CONNECT_TIMEOUT_MS = 10_000;

/** Headers that belong to a connection, or that name another host than the one that was checked. */
const ownHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "expect",
  "host",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Makes a sender of one session. No variable of the environment names a proxy for it. */
export function createSender(budget: Budget, resolve: ResolveHost): Sender {
  const agentOf = (isAllowed: boolean) => {
    const lookup = pinnedLookup(resolve, isAllowed);
    const connect = buildConnector({ lookup, timeout: CONNECT_TIMEOUT_MS, allowH2: false });
    return new Agent({
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The session's own time ends what is slow.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (options, callback) => {
        connect(options, (...connected) => {
          if (connected[0] === null) budget.watch(connected[1]);
          callback(...connected);
        });
      },
    });
  };
  const agents = { checked: agentOf(false), allowed: agentOf(true) };

  async function send(url: URL, request: SentRequest, isAllowedHost: boolean): Promise<Response> {
    budget.takeRequest();
    const headers = sendableHeaders(request.headers);
    const signal = AbortSignal.any([budget.signal, ...(request.signal ? [request.signal] : [])]);
    const agent = isAllowedHost ? agents.allowed : agents.checked;
    try {
      // Not undici's fetch, which repeats a request that was answered with 421.
      const answer = await observe(agent, request.onSending).request({
        origin: url.origin,
        path: `${url.pathname}${url.search}`,
        method: request.method,
        headers,
        body: request.body ?? null,
        signal,
      });
      return toResponse(answer, budget, (error) => faultOf(error, url, budget));
    } catch (error) {
      throw faultOf(error, url, budget);
    }
  }
  return {
    send,
    close: async () => {
      await Promise.all([agents.checked.destroy(), agents.allowed.destroy()]);
    },
  };
}

/**
 * The headers that a request may have. Throws a `FetchFault` for values that HTTP cannot carry, without the
 * runtime's message, which shows them.
 */
export function sendableHeaders(init: HeaderValues | undefined): Record<string, string> {
  let headers: Headers;
  try {
    headers = new Headers(init);
  } catch {
    throw new FetchFault("rejected", "A header has a name or a value that HTTP cannot carry");
  }
  return Object.fromEntries([...headers].filter(([name]) => !ownHeaders.has(name)));
}

/** Hears when a request is sent, and ends one that is answered with interim answers (1xx) only. */
function observe(agent: Agent, onSending: (() => void) | undefined): Dispatcher {
  return agent.compose((dispatch) => (options, handler) => {
    let interim = 0;
    const observed: Dispatcher.DispatchHandler = {
      onRequestStart: (...began) => {
        onSending?.();
        handler.onRequestStart?.(...began);
      },
      onRequestUpgrade: (...upgrade) => handler.onRequestUpgrade?.(...upgrade),
      onResponseStart: (...head) => {
        const [controller, statusCode] = head;
        if (statusCode < 200 && ++interim > MAX_INTERIM) controller.abort(tooManyInterim());
        handler.onResponseStart?.(...head);
      },
      onResponseData: (...chunk) => handler.onResponseData?.(...chunk),
      onResponseEnd: (...end) => handler.onResponseEnd?.(...end),
      onResponseError: (...failed) => handler.onResponseError?.(...failed),
    };
    return dispatch(options, observed);
  });
}

const MAX_INTERIM = 32;
const tooManyInterim = (): FetchFault =>
  new FetchFault("too_large", `More than ${MAX_INTERIM} interim answers`);

const bodiless: ReadonlySet<number> = new Set([204, 205, 304]);

function toResponse(
  answer: Dispatcher.ResponseData,
  budget: Budget,
  toFault: (error: unknown) => FetchFault,
): Response {
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const { statusCode: status, body } = answer;
  if (bodiless.has(status)) {
    body.on("error", () => {}).destroy();
    return new Response(null, { status, headers });
  }
  const decoded = decodeBody(body, headers.get("content-encoding"));
  // What is read is decoded.
  headers.delete("content-encoding");
  headers.delete("content-length");
  const chunks = toStream(countedChunks(decoded, budget, toFault));
  return new Response(chunks, { status, headers });
}

async function* countedChunks(
  body: Readable,
  budget: Budget,
  toFault: (error: unknown) => FetchFault,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      budget.takeBytes(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw toFault(error);
  }
}

/** What an error of the network says to users. Its own message may name what is inside of a network. */
function faultOf(error: unknown, { host }: URL, budget: Budget): FetchFault {
  if (error instanceof FetchFault) return error;
  if (budget.signal.aborted) return budget.signal.reason as FetchFault;
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === "string" ? code : undefined;
  if (isAborted(error)) return new FetchFault("cancelled", "Cancelled", { cause: error });
  if (name === "UND_ERR_HEADERS_OVERFLOW") {
    const message = `The answer's headers are larger than ${MAX_HEADER_BYTES} bytes`;
    return new FetchFault("too_large", message, { cause: error });
  }
  if (error instanceof errors.HTTPParserError || name?.startsWith("Z_") === true) {
    const message = `The answer of ${host} is malformed HTTP`;
    return new FetchFault("bad_answer", message, { cause: error });
  }
  const reason = name === undefined ? "" : ` (${name})`;
  return new FetchFault("unreachable", `No connection to ${host}, or it broke${reason}`, {
    cause: error,
  });
}

function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === "AbortError";
}

/** A stream that makes each chunk when it is asked for, and none after its reader stopped. */
export function toStream(
  chunks: AsyncGenerator<Uint8Array>,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  // The types of Node and of browsers describe the same class.
  return NodeStream.from(chunks) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
}
