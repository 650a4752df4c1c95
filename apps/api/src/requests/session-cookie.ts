import { ParleyError, SESSION_PATTERN } from "@parley/schema";
import { parseCookie, stringifySetCookie } from "cookie";
import type { FastifyReply, FastifyRequest } from "fastify";
import { isIP } from "node:net";

/**
 * Requests with it are those of a page of this server: another origin's could not send it without asking. Its value
 * says which of the browser's sessions the page acts with.
 */
const PAGE_HEADER = "x-parley-session";

/** Sessions that a browser may have at once. */
const PLACES = ["1", "2", "3", "4", "5"] as const;

/**
 * The `Authorization` header of a request: its own, or that of its session, if a page of this server sends it.
 * Throws `app_auth_error` for a session that another page uses.
 */
export function authorizationOf(request: FastifyRequest, publicUrl: string): string | undefined {
  const { headers } = request;
  if (headers.authorization !== undefined || headers[PAGE_HEADER] === undefined) {
    return headers.authorization;
  }
  const token = parseCookie(headers.cookie ?? "")[cookieName(request)];
  if (token === undefined || !SESSION_PATTERN.test(token)) return undefined;
  requireOwnPage(request, publicUrl);
  return `Bearer ${token}`;
}

/** Gives a session to the browser, or takes it away. */
export function setSession(
  {
    request,
    reply,
    publicUrl,
  }: { request: FastifyRequest; reply: FastifyReply; publicUrl: string },
  session: { readonly token: string; readonly expiresAt: number } | undefined,
): void {
  requireOwnPage(request, publicUrl);
  const cookie = {
    name: cookieName(request),
    value: session?.token ?? "",
    path: "/",
    httpOnly: true,
    sameSite: "strict",
    secure: request.protocol === "https" || publicUrl.startsWith("https:"),
    expires: new Date(session?.expiresAt ?? 0),
  } as const;
  reply.header("set-cookie", stringifySetCookie(cookie));
}

/**
 * The name of a session's cookie. Browsers share cookies between the ports of a host, on which there may be another
 * server. Throws `app_auth_error` for a session that a browser cannot have.
 */
function cookieName({ headers }: FastifyRequest): string {
  const { host = "", [PAGE_HEADER]: asked = PLACES[0] } = headers;
  const place = PLACES.find((one) => one === asked);
  if (place === undefined) {
    const message = `${PAGE_HEADER} must be a number from 1 to ${PLACES.length}`;
    throw new ParleyError("app_auth_error", message);
  }
  const port = /:(\d+)$/.exec(host)?.[1];
  const ofPort = port === undefined ? "" : `_${port}`;
  return `parley_session${ofPort}${place === PLACES[0] ? "" : `-${place}`}`;
}

/** Refuses pages of other origins, and names that somebody else could let point here. Throws `app_auth_error`. */
function requireOwnPage({ headers }: FastifyRequest, publicUrl: string): void {
  const { host = "", origin } = headers;
  if (!isOwnHost(host, new URL(publicUrl).hostname)) {
    const message = `Sessions are for the pages of ${publicUrl}: this is another address; see PARLEY_PUBLIC_URL`;
    throw new ParleyError("app_auth_error", message);
  }
  if (origin === undefined || isOriginOf(origin, host)) return;
  throw new ParleyError("app_auth_error", "Only this server's own pages may use a session");
}

/** Whether a `Host` is an address, which no name can be, a name of the machine itself, or the public one. */
function isOwnHost(host: string, publicName: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  const { hostname } = new URL(`http://${host}`);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  return isAddress || isLocal || hostname === publicName;
}

/** Whether an `Origin` is that of a `Host`, over http or, behind a proxy, https. */
export function isOriginOf(origin: string, host: string): boolean {
  if (!URL.canParse(`http://${host}`)) return false;
  return ["http", "https"].some((scheme) => origin === new URL(`${scheme}://${host}`).origin);
}
