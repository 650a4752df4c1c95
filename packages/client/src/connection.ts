import type { Warning } from "@parley/schema";
import { ParleyError, readError } from "./errors.ts";

/** A key, or what gives one: asked for each request, so that it may change. */
export type ApiKey = string | (() => string | Promise<string>);

/** Where a client finds its server, and who it is there. */
export interface ParleyOptions {
  /** Address of the server, as in `http://127.0.0.1:3000`. */
  readonly baseUrl: string;
  /** The workspace that the key is a key of. */
  readonly workspaceId: string;
  readonly apiKey: ApiKey;
  /** How often a request that failed may be sent again; 4 by default. */
  readonly maxRetries?: number | undefined;
  /** Told of what a request asked for and that was not done, though it succeeded. */
  readonly onWarning?: ((warning: Warning) => void) | undefined;
  /** Sends the requests; the runtime's own by default. */
  readonly fetch?: typeof fetch | undefined;
}

/** One request, as it is sent each time. */
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

/** Makes what sends requests to one server. Throws `TypeError` where the address is none. */
export function createSend({
  baseUrl,
  apiKey,
  fetch: given,
}: Pick<ParleyOptions, "baseUrl" | "apiKey" | "fetch">): Send {
  const root = parseBaseUrl(baseUrl);
  return async ({ method, path, headers, body }, signal) => {
    // Looked up at each call: tests and polyfills replace it.
    const send = given ?? fetch;
    const authorization = await authorizationFor(apiKey);
    let url = root + path;
    for (let hop = 0; ; hop++) {
      signal.throwIfAborted();
      const response = await send(url, {
        method,
        headers: { ...headers, authorization },
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

/** The value of the `Authorization` header. Throws `invalid_api_key`, and never says the key. */
export async function authorizationFor(apiKey: ApiKey): Promise<string> {
  const key: unknown = typeof apiKey === "function" ? await apiKey() : apiKey;
  // fetch would throw an error that repeats the header.
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key)) {
    throw new ParleyError("invalid_api_key", "apiKey must be a key such as sk-…");
  }
  return `Bearer ${key}`;
}

/** The address without slashes at its end. Throws `TypeError`, without the address. */
export function parseBaseUrl(value: string): string {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    throw new TypeError("The server's address must be one such as http://127.0.0.1:3000");
  }
  if (
    !/^https?:$/.test(url.protocol) ||
    url.username + url.password + url.search + url.hash !== ""
  ) {
    throw new TypeError("The server's address must be http or https, without user, query and hash");
  }
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

/** Where a redirect leads, which must be the same origin: the key goes nowhere else. */
function redirectTarget(from: string, response: Response): string {
  // Browsers tell nothing of a redirect. Only streams have one, and theirs is part of the interface.
  if (response.type === "opaqueredirect") {
    if (from.includes("/api/sse/")) throw refusedRedirect(response.status);
    return from.replace("/api/", "/api/sse/");
  }
  const location = response.headers.get("location") ?? "";
  const target = URL.canParse(location, from) ? new URL(location, from) : undefined;
  if (target?.origin !== new URL(from).origin) throw refusedRedirect(response.status);
  return target.href;
}

/** Whether it is a redirect, as `redirect: "manual"` gives it; edge runtimes know no `"error"`. */
function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || [301, 302, 303, 307, 308].includes(status);
}

/** Throws `unexpected_redirect` where the answer is a redirect: the key does not follow it. */
export function refuseRedirect(response: Response): Response {
  if (!isRedirect(response)) return response;
  response.body?.cancel().catch(() => {});
  throw refusedRedirect(response.status);
}

function refusedRedirect(status: number): ParleyError {
  const message = "The server redirects to where the key must not go: check baseUrl";
  return new ParleyError("unexpected_redirect", message, { status });
}

/** The error of a connection that could not be made, or broke. */
export function brokenConnection(cause: unknown): ParleyError {
  return new ParleyError("connection_failed", "The connection to the server failed", { cause });
}
