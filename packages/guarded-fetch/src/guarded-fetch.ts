import { type IsAllowedHost, parseAllowedHosts, requireAllowedUrl } from "./allowed-urls.ts";
import { FetchFault } from "./fetch-fault.ts";
import { type ResolveHost, resolveHost } from "./resolve-host.ts";
import { createSender, type HeaderValues, type SentRequest } from "./send-request.ts";
import { createBudget, type FetchLimits } from "./budget.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Where a response redirects to, relative to its URL, if it does. */
export function locationOf(response: Response): string | undefined {
  return REDIRECTS.has(response.status)
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
function redirectedRequest(request: SentRequest, from: URL, to: URL): SentRequest {
  if (from.origin === to.origin) return request;
  const secret = new Set(request.secretHeaders?.map((name) => name.toLowerCase()));
  const kept = [...new Headers(request.headers)].filter(
    ([name]) => harmless.has(name) && !secret.has(name),
  );
  return { ...request, headers: kept };
}

/** What a guarded request may say of itself. */
export interface GuardedInit {
  readonly method?: string;
  readonly headers?: HeaderValues;
  /** Names of headers that carry a secret: a redirect does not take them to another origin. */
  readonly secretHeaders?: readonly string[];
  readonly body?: string | Uint8Array;
  /** Whether redirects of GET and HEAD are followed, which is the default; `manual` answers with them. */
  readonly redirect?: "follow" | "manual";
  readonly signal?: AbortSignal | null;
  /** Called with each URL before it is requested, redirects included; what it throws is the outcome. */
  readonly permit?: (url: URL) => void;
  /** Called when there is a connection, and the request begins to leave. */
  readonly onSending?: () => void;
}

/** Requests that share their limits, their resolved names and their connections. */
export interface FetchSession extends AsyncDisposable {
  /** Requests a URL. Rejects with a `FetchFault`, as does reading the answer's body; with nothing else. */
  fetch(url: string | URL, init?: GuardedInit): Promise<Response>;
  /** Aborted when a limit ends the session, or `close`. */
  readonly signal: AbortSignal;
  /** Why the session's limits ended it, if they did. */
  readonly fault: FetchFault | undefined;
  /** Ends requests that are under way, and closes every connection. */
  close(): Promise<void>;
}

/** Opens sessions that reach the public internet, and of private hosts those that the operator allows. */
export interface Guard {
  open(limits: FetchLimits): FetchSession;
  readonly isAllowedHost: IsAllowedHost;
}

const MAX_REDIRECTS = 5;

/** Makes a guard. `resolve` replaces DNS in tests. Throws for an entry of `allowedHosts` that is not a host. */
export function createGuard(options: {
  allowedHosts: readonly string[];
  resolve?: ResolveHost;
}): Guard {
  const isAllowedHost = parseAllowedHosts(options.allowedHosts);
  const open = (limits: FetchLimits): FetchSession => {
    const budget = createBudget(limits);
    const sender = createSender(budget, options.resolve ?? resolveHost);
    const close = async () => {
      budget.end();
      await sender.close();
    };
    const fetch = async (input: string | URL, init: GuardedInit = {}): Promise<Response> => {
      let url = requireAllowedUrl(input, isAllowedHost);
      init.permit?.(url);
      let request: SentRequest = { ...init, method: (init.method ?? "GET").toUpperCase() };
      for (let redirects = 0; ; redirects++) {
        const response = await sender.send(url, request, isAllowedHost(url));
        const location = locationOf(response);
        const isFollowed = init.redirect !== "manual" && ["GET", "HEAD"].includes(request.method);
        if (location === undefined || !isFollowed) return response;
        await response.body?.cancel();
        if (redirects === MAX_REDIRECTS) {
          throw new FetchFault(
            "bad_answer",
            `${url.host} redirects more than ${MAX_REDIRECTS} times`,
          );
        }
        const target = requireAllowedUrl(location, isAllowedHost, url);
        init.permit?.(target);
        request = redirectedRequest(request, url, target);
        url = target;
      }
    };
    return {
      fetch,
      close,
      signal: budget.signal,
      get fault() {
        return budget.fault;
      },
      [Symbol.asyncDispose]: close,
    };
  };
  return { open, isAllowedHost };
}
