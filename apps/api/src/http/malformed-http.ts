import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { renderError } from "@parley/rpc";
import { ParleyError } from "@parley/schema";

/** How long a connection stays open so that its refusal can be read. */
const LINGER_MS = 1000;

type ParserError = Error & { readonly code?: string };

/** Responds with the error envelope to requests that Node's HTTP parser refuses. */
export function createMalformedHttp() {
  const newest = new WeakMap<Socket, ServerResponse>();
  const refused = new WeakSet<Socket>();

  const answer = (error: ParserError, socket: Socket): void => {
    // The parser reports the rest of the input again.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const response = newest.get(socket);
    const refuse = () => endWith(socket, explain(error));
    if (response === undefined) refuse();
    else if (response.req.complete) {
      if (response.writableFinished) refuse();
      else response.once("finish", refuse);
    } else if (response.headersSent || response.socket === null) {
      // The request has its response, or waits for earlier ones.
      lingerOn(socket);
    } else refuse();
  };

  return {
    /** Fastify's `clientErrorHandler`. */
    answer,
    /** Tracks responses, so that those to earlier requests on a connection are sent first. */
    watch: (server: Server): void => {
      server.prependListener("request", (request, response) => {
        newest.set(request.socket, response);
      });
      // Without a listener Node closes the connection without a response.
      server.on("connect", (_request, stream) => {
        endWith(stream as Socket, new ParleyError("not_found", "No such route"));
      });
      // Without a listener Node responds without a body.
      server.on("checkExpectation", (request, response) => {
        server.emit("request", request, response);
      });
    },
  };
}

function explain({ code }: ParserError): ParleyError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ParleyError("request_timeout", "The request did not arrive in time");
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = "Request line and headers must be less than 16 KiB together";
    return new ParleyError("invalid_request_error", message);
  }
  return new ParleyError("invalid_request_error", "The request is not well-formed HTTP");
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  404: "Not Found",
  408: "Request Timeout",
};

/** Writes a response by hand, for a request that has no response object. */
function endWith(socket: Socket, error: ParleyError): void {
  const requestId = randomUUID();
  const body = JSON.stringify(renderError(error, requestId));
  const head = [
    `HTTP/1.1 ${error.status} ${reasons[error.status]}`,
    `Date: ${new Date().toUTCString()}`,
    `x-request-id: ${requestId}`,
    "X-Content-Type-Options: nosniff",
    "Content-Type: application/json",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
  ];
  socket.write(`${head.join("\r\n")}\r\n\r\n${body}`);
  lingerOn(socket);
}

function lingerOn(socket: Socket): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), LINGER_MS);
  timer.unref();
  socket.once("close", () => clearTimeout(timer));
}
