import type { SentRequest } from "./send-request.ts";

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where a response redirects to, relative to its URL, if it does. */
export function locationOf(response: Response): string | undefined {
  return redirects.has(response.status)
    ? (response.headers.get("location") ?? undefined)
    : undefined;
}

/** What a request says of itself to every origin: any other header may be a credential. */
const harmless: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "content-type",
  "mcp-protocol-version",
  "user-agent",
]);

/** The request as it follows a redirect: without credentials and secrets, if it leaves its origin. */
export function redirectedRequest(request: SentRequest, from: URL, to: URL): SentRequest {
  if (from.origin === to.origin) return request;
  const secret = new Set(request.secretHeaders?.map((name) => name.toLowerCase()));
  const kept = [...new Headers(request.headers)].filter(
    ([name]) => harmless.has(name) && !secret.has(name),
  );
  return { ...request, headers: kept };
}
