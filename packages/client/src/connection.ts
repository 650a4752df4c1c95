import type { Warning } from "@parley/schema";
import { ParleyError, readError } from "./errors.ts";

/**
 * In place of a key: the session of a page of the server itself, whose cookie the browser sends.
 *
 * @example
 * const baseUrl = "http://127.0.0.1:3000";
 * const page = createParley({ baseUrl, workspaceId: "w", apiKey: pageSession });
 * console.log(typeof page.conversations.create); // function
 */
export const pageSession = Symbol("the session of the page");

/** One of the sessions, 1 to 5, that a browser can have at once; `pageSession` is the first. */
export interface NumberedSession {
  readonly session: number;
  /** The key, or the one-time code, that opens it. */
  readonly key?: string;
}

/** A key, or a function that returns one: called for each request, so that the key may change. */
export type ApiKey =
  | string
  | (() => string | Promise<string>)
  | typeof pageSession
  | NumberedSession;

/** The server of a client, and its credential. */
export interface ParleyOptions {
  /** URL of the server, as in `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** The workspace of the key. */
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  /** How often a request that failed may be sent again; 4 by default. */
  readonly maxRetries?: number | undefined;
  /** Called with each part of a successful request that the server ignored; in development, by default, it is printed. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Sends the requests; the runtime's own by default. */
  readonly fetch?: typeof fetch | undefined;
}

/** A request as each attempt sends it. */
export interface WireRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
}

/** Sends one request with the key; throws `ParleyError` for all but success. */
export type Send = (request: WireRequest, signal: AbortSignal) => Promise<Response>;

/** More than the one hop that streams have. */
const MAX_HOPS = 3;

/** Returns a function that sends requests to one server. Throws `TypeError` for an invalid URL. */
export function createSend({
  baseUrl,
  apiKey,
  fetch: given,
}: Pick<ParleyOptions, "baseUrl" | "apiKey" | "fetch">): Send {
  const root = parseBaseUrl(baseUrl);
  return async ({ method, path, headers, body }, signal) => {
    // Looked up at each call: tests and polyfills replace it.
    const send = given ?? fetch;
    const credential = await credentialFor(apiKey);
    let url = root + path;
    for (let hop = 0; ; hop++) {
      signal.throwIfAborted();
      const response = await send(url, {
        method,
        headers: { ...headers, ...credential },
        redirect: "manual",
        signal,
        ...(body !== undefined && { body }),
      }).catch((cause: unknown) => {
        signal.throwIfAborted();
        throw brokenConnection(cause);
      });
      if (response.ok) return response;
      if (!isRedirect(response)) throw await readError(response);
      await response.body?.cancel();
      if (hop >= MAX_HOPS || method !== "GET") throw refusedRedirect(response.status);
      url = redirectTarget(url, response);
    }
  };
}

/** The headers with the credential. Throws `invalid_api_key`, without the key. */
export async function credentialFor(apiKey: ApiKey): Promise<Record<string, string>> {
  if (apiKey === pageSession) return { "x-parley-session": "1" };
  if (typeof apiKey === "object") {
    const opening = apiKey.key === undefined ? {} : await credentialFor(apiKey.key);
    return { ...opening, "x-parley-session": String(apiKey.session) };
  }
  const key: unknown = typeof apiKey === "function" ? await apiKey() : apiKey;
  // fetch would throw an error that contains the header.
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw new ParleyError("invalid_api_key", "apiKey must be a key such as sk-…");
  }
  return { authorization: `Bearer ${key}` };
}

/** The URL without slashes at its end. Throws `TypeError`, without the URL. */
export function parseBaseUrl(value: string): string {
  const url = parseUrl(value);
  if (!url) {
    throw new TypeError("baseUrl must be a URL such as http://127.0.0.1:3000");
  }
  if (
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ""
  ) {
    throw new TypeError("baseUrl must be http or https, without user, query and hash");
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** The URL, or undefined if it is none. React Native has no `URL.canParse`, and resolves no paths. */
function parseUrl(value: string): URL | undefined {
  try {
    return new URL(value);
  } catch {
    return undefined;
  }
}

/** The target of a redirect, which must have the same origin: the key is sent nowhere else. */
function redirectTarget(from: string, response: Response): string {
  // Browsers hide the target. Only streams redirect, and their target is part of the interface.
  if (response.type === "opaqueredirect") {
    if (from.includes("/api/sse/")) throw refusedRedirect(response.status);
    return from.replace("/api/", "/api/sse/");
  }
  const location = response.headers.get("location") ?? "";
  const { origin } = new URL(from);
  const target = parseUrl(location.startsWith("/") ? origin + location : location);
  if (target?.origin !== origin) throw refusedRedirect(response.status);
  return target.href;
}

/** Whether a response to a request with `redirect: "manual"` is a redirect. Edge runtimes lack `"error"`. */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status);
}

/** Throws `unexpected_redirect` for a redirect: the key does not follow it. */
export function refuseRedirect(response: Response): Response {
  if (!isRedirect(response)) return response;
  response.body?.cancel().catch(() => {});
  throw refusedRedirect(response.status);
}

function refusedRedirect(status: number): ParleyError {
  const message =
    "The server redirects to another origin, which must not get the key: check baseUrl";
  return new ParleyError("unexpected_redirect", message, { status });
}

/** The error of a connection that failed or broke. */
export function brokenConnection(cause: unknown): ParleyError {
  return new ParleyError("connection_failed", "The connection to the server failed", { cause });
}
