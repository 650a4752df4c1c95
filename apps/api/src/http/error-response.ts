import { renderError, toParleyError } from "@parley/rpc";
import { ParleyError, renderOpenAiError } from "@parley/schema";
import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyReply {
    /** Type of the error in the response. */
    errorType: string | undefined;
  }
  interface FastifyRequest {
    /** Fields of the request's log lines, set once its caller is known. */
    logFields: object | undefined;
  }
}

/** Converts whatever was thrown, Fastify's own refusals included. */
function toKnownError(error: unknown): ParleyError {
  const { code = "", statusCode = 500 } = error as Partial<FastifyError>;
  if (!code.startsWith("FST_") || statusCode >= 500) return toParleyError(error);
  const details = { cause: error };
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return new ParleyError("content_too_large", "The body must be at most 8 MiB", details);
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
    case "FST_ERR_CTP_INVALID_TYPE":
      return invalid("request body: the content type must be application/json", details);
    case "FST_ERR_BAD_URL":
      return invalid("path parameters: malformed percent-encoding", details);
    default:
      return invalid(`request body: ${(error as Error).message}`, details);
  }
}

function invalid(what: string, details: ErrorOptions): ParleyError {
  return new ParleyError("invalid_request_error", `Invalid ${what}`, details);
}

/** Logs errors that concern the operator, with their cause. */
export function logUnexpected(known: ParleyError, request: FastifyRequest): void {
  // Without a cause, the server is only shutting down.
  const isUnavailable = known.type === "service_unavailable" && known.cause !== undefined;
  if (known.type === "internal_server_error" || isUnavailable) {
    request.log.error({ ...request.logFields, err: known.cause }, known.message);
  }
}

/** What is below these paths is for clients of the OpenAI interfaces, whether or not there is a route. */
const OF_OPENAI = /^\/(?:api\/w\/[^/?]+\/)?v1(?:[/?]|$)/;

/** Responds to an error that no route renders: in the words of the interface that the path belongs to. */
export function sendRoutelessError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const render = OF_OPENAI.test(request.url) ? renderOpenAiError : renderError;
  sendError(error, request, reply, render);
}

/** Responds with the error table's status, headers and body; logs unexpected errors. */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  render: (error: ParleyError, requestId: string) => object = renderError,
): void {
  const known = toKnownError(error);
  logUnexpected(known, request);
  reply.errorType = known.type;
  // Fastify would close the connection if a body is refused unread, and a client that is still
  // sending would not see the response: unread-bodies.ts reads on. The header stays where the client
  // asked for the connection to be closed.
  if (reply.raw.shouldKeepAlive) reply.removeHeader("connection");
  if (known.status === 401) reply.header("WWW-Authenticate", "Bearer");
  if (known.retryAfterSeconds !== undefined) reply.header("Retry-After", known.retryAfterSeconds);
  void reply
    .code(known.status)
    // For a path that cannot be decoded, no hook has set it.
    .header("x-request-id", request.id)
    .type("application/json")
    .send(JSON.stringify(render(known, request.id)));
}
