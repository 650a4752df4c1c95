import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { type Context, Provider } from "oidc-provider";

/** A real authorization server, and an MCP server's metadata that names it, in one. */
export interface TestAuthorizationServer extends AsyncDisposable {
  readonly origin: string;
  readonly host: string;
  readonly mcpUrl: string;
  /** Signs in and consents as a browser would. Gives where the browser is sent back to. */
  approve(authorizationUrl: string, login?: string): Promise<URL>;
  /** Takes no token any more that was issued until now, and refreshes none. */
  forgetTokens(): void;
  /** The grants of the token requests that were answered, in order. */
  readonly granted: readonly string[];
  /** The kinds of the tokens that were revoked, in order. */
  readonly revoked: readonly string[];
  /** Method, path and credential of all requests, in order. */
  readonly requests: readonly string[];
}

/** Answers requests at `/mcp` that have a token, for the account that it was issued for. */
export type ProtectedListener = (
  account: string,
  ...given: Parameters<RequestListener>
) => ReturnType<RequestListener>;

/** A client that asks for tokens of its own. */
export const machine = { clientId: "machine", clientSecret: "a-secret-of-the-machine" };
/** Where codes come back to. Nothing listens there. */
export const redirectUrl = "https://parley.example/callback";

/** Starts the server. `describes` is whether the MCP server has metadata of its own; an `isOld` one has none at all. */
export async function startAuthorizationServer(
  options: {
    describes?: boolean;
    isOld?: boolean;
    resource?: string;
    protects?: ProtectedListener;
    tokenSeconds?: number;
    /** What calls need, besides what the metadata of the 401 names. */
    callScope?: () => string;
    /** Fetches the documents that clients have as their ids, which the server then takes. */
    fetchDocument?: (url: string) => Promise<Response>;
    /** Whether clients can be registered. */
    registers?: boolean;
    /** Whether redirects have `iss`, and the metadata promises it. */
    namesIssuer?: boolean;
    /** Resolves when a request to revoke may be answered. */
    beforeRevocation?: () => Promise<void>;
    /** Resolves when a call may be answered, before its token is looked at. */
    beforeCall?: () => Promise<void>;
  } = {},
): Promise<TestAuthorizationServer> {
  let handle: RequestListener = (_request, response) => void response.writeHead(503).end();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    requests.push([method, url, headers.authorization].filter(Boolean).join(" "));
    return handle(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const origin = `http://${host}`;
  const mcpUrl = `${origin}/mcp`;
  const resource = options.resource ?? mcpUrl;
  const provider = new Provider(origin, configure(mcpUrl, options));
  if (options.namesIssuer === false)
    provider.use((context, next) => next().then(() => leaveIssuerOut(context)));
  const answer = provider.callback();
  const granted: string[] = [];
  provider.on(
    "grant.success",
    ({ oidc }) => void granted.push(String(oidc.params?.["grant_type"])),
  );
  const revoked: string[] = [];
  provider.on("access_token.destroyed", () => void revoked.push("access_token"));
  provider.on("refresh_token.destroyed", () => void revoked.push("refresh_token"));
  let forgottenUntil = 0;
  const findToken = async (authorization = "") => {
    const token = await provider.AccessToken.find(authorization.replace(/^Bearer /, ""));
    return (token?.iat ?? 0) > forgottenUntil ? token : undefined;
  };
  const protect = async (...[request, response]: Parameters<RequestListener>): Promise<void> => {
    const isCall = request.headers["mcp-method"] === "tools/call";
    if (isCall) await options.beforeCall?.();
    const { accountId, scope } = (await findToken(request.headers.authorization)) ?? {};
    const needed = isCall ? options.callScope?.() : "";
    const isEnough = !needed || scope?.split(" ").includes(needed) === true;
    if (accountId !== undefined && isEnough)
      return options.protects?.(accountId, request, response);
    if (accountId !== undefined) {
      const challenge = `Bearer error="insufficient_scope", scope="${needed}"`;
      return void response.writeHead(403, { "www-authenticate": challenge }).end();
    }
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    const first = options.callScope === undefined ? "" : ', scope="tools:call"';
    response.setHeader("www-authenticate", `Bearer resource_metadata="${metadata}"${first}`);
    response.writeHead(401).end();
  };
  handle = (request, response) => {
    if (request.url === "/mcp" && options.protects) return void protect(request, response);
    if (request.url === "/token/revocation" && options.beforeRevocation) {
      return void options.beforeRevocation().then(() => answer(request, response));
    }
    if (options.isOld && request.url?.startsWith("/.well-known/") === true) {
      return void response.writeHead(404).end();
    }
    const isMetadata = request.url === "/.well-known/oauth-protected-resource/mcp";
    if (!isMetadata || options.describes === false) return answer(request, response);
    response.setHeader("content-type", "application/json");
    const scopes = ["tools:call", ...(options.callScope === undefined ? [] : ["tools:write"])];
    response.end(
      JSON.stringify({ resource, authorization_servers: [origin], scopes_supported: scopes }),
    );
  };
  return {
    origin,
    host,
    mcpUrl,
    approve: (url, login = "somebody") => approve(url, { origin, login }),
    forgetTokens: () => {
      forgottenUntil = Math.floor(Date.now() / 1000);
    },
    granted,
    revoked,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

/** What the server does otherwise that knows nothing of RFC 9207. */
function leaveIssuerOut(context: Context): void {
  const { body, response } = context;
  const promise = "authorization_response_iss_parameter_supported";
  if (typeof body === "object" && body !== null) Reflect.deleteProperty(body, promise);
  const location = URL.parse(response.get("location"));
  if (location?.searchParams.has("iss") !== true) return;
  location.searchParams.delete("iss");
  context.set("location", location.href);
}

function configure(
  mcpUrl: string,
  {
    tokenSeconds = 3600,
    registers = true,
    fetchDocument,
    isOld = false,
  }: NonNullable<Parameters<typeof startAuthorizationServer>[0]>,
): object {
  const resourceServer = {
    scope: "tools:call tools:write",
    audience: mcpUrl,
    accessTokenFormat: "opaque",
  };
  return {
    clients: [
      {
        client_id: machine.clientId,
        client_secret: machine.clientSecret,
        grant_types: ["client_credentials"],
        redirect_uris: [],
        response_types: [],
      },
    ],
    cookies: { keys: ["for-tests"] },
    scopes: ["openid", "offline_access", "tools:call", "tools:write"],
    features: {
      clientCredentials: { enabled: true },
      registration: { enabled: registers },
      ...(fetchDocument && { clientIdMetadataDocument: { enabled: true, ack: "draft-02" } }),
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => mcpUrl,
        getResourceServerInfo: () => resourceServer,
        useGrantedResource: () => true,
      },
    },
    ...(isOld && { routes: oldRoutes }),
    ...(fetchDocument && { fetch: fetchDocument }),
    ttl: { AccessToken: tokenSeconds },
    issueRefreshToken: () => true,
  };
}

/** The endpoints of servers of MCP 2025-03-26 that describe nothing. */
const oldRoutes = { authorization: "/authorize", token: "/token", registration: "/register" };

const MAX_STEPS = 12;

/** Follows a sign-in through its pages, with cookies, until it leaves the server. */
async function approve(
  authorizationUrl: string,
  { origin, login }: { origin: string; login: string },
): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = new URL(authorizationUrl);
  let form: Record<string, string> | undefined;
  for (let step = 0; step < MAX_STEPS; step++) {
    const cookie = [...cookies].map((pair) => pair.join("=")).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form && { method: "POST", body: new URLSearchParams(form) }),
    });
    for (const one of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (one.split(";")[0] ?? "").split("=");
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    const page = await response.text();
    if (location === null) {
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
      if (prompt === undefined) throw new Error(`No form, but ${response.status}: ${page}`);
      form = { prompt, login, password: "anything" };
      url = new URL(/<form[^>]* action="([^"]+)"/.exec(page)?.[1] ?? url, url);
      continue;
    }
    form = undefined;
    url = new URL(location, url);
    if (url.origin !== origin) return url;
  }
  throw new Error("The sign-in does not end");
}
