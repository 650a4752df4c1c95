import { ParleyError } from "@parley/schema";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { readOn } from "./unread-bodies.ts";

/**
 * Security headers of every response. Most responses are data: pages set their own policy. TLS is the
 * matter of a proxy.
 */
const safeHeaders = {
  "content-security-policy": "default-src 'none';frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** Checks and headers of every route: a valid Host, security headers, no encoded or unread bodies. */
export function registerGuards(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => void reply.headers(safeHeaders));
  app.addHook("onRequest", async (request) => requireHost(request));
  app.addHook("preParsing", async (request) => refuseEncodedBody(request));
  readOn(app.server);
}

/** RFC 9112, section 3.2; tRPC also parses it as a URL. */
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
