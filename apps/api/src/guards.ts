import type { IncomingMessage } from "node:http";
import helmet from "@fastify/helmet";
import { ParleyError } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** How long a client that has its answer may go on sending a body that nobody reads. */
const UNREAD_MS = 10_000;

/** What holds for every route: HTTP as it must be, safe headers, no body without an end. */
export async function registerGuards(app: FastifyInstance): Promise<void> {
  // Answers are data. A page sets what it needs itself, by its route's option `helmet`.
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Whether there is TLS, and for which names, is known to the proxy in front.
    strictTransportSecurity: false,
    crossOriginOpenerPolicy: false,
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    // frame-ancestors says it.
    xFrameOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
  app.addHook("onRequest", async (request) => requireHost(request));
  app.addHook("preParsing", async (request) => refuseEncodedBody(request));
  // Not as a hook: with one, Fastify keeps its request and reply for each open stream.
  app.server.on("request", (request, response) => {
    if (hasBody(request)) response.once("finish", () => cutUnread(request));
  });
}

/** Whether a request says that it has a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined;
}

function cutUnread(request: IncomingMessage): void {
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), UNREAD_MS);
  timer.unref();
  request.once("close", () => clearTimeout(timer));
}

/** RFC 9112, section 3.2; and tRPC makes an address of it. */
function requireHost({ raw, headers: { host } }: FastifyRequest): void {
  if (raw.httpVersion === "1.0" && host === undefined) return;
  const isHost = host !== undefined && /^[\w.:[\]-]+$/.test(host) && URL.canParse(`http://${host}`);
  if (raw.httpVersionMajor === 1 && isHost) return;
  throw new ParleyError("invalid_request_error", "The request must be HTTP/1.1 with a valid Host");
}

function refuseEncodedBody({ method, headers }: FastifyRequest): void {
  const encoding = headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity" || method === "GET" || method === "HEAD") return;
  throw new ParleyError(
    "invalid_request_error",
    "Invalid request body: it must be sent without a Content-Encoding",
  );
}
