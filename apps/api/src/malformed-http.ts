import { randomUUID } from "node:crypto";
import type { Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { renderError } from "@parley/rpc";
import { ParleyError } from "@parley/schema";

/** How long a connection stays open for its refusal to be read: closing at once would lose it. */
const LINGER_MS = 1000;

type ParserError = Error & { readonly code?: string };

/** Answers what the HTTP parser refuses with the error envelope. */
export interface MalformedHttp {
  /** Fastify's `clientErrorHandler`. */
  answer(error: ParserError, socket: Socket): void;
  /** Lets the answers to the requests before on a connection go first. */
  watch(server: Server): void;
}

/** Makes the answers for one server. */
export function createMalformedHttp(): MalformedHttp {
  const newest = new WeakMap<Socket, ServerResponse>();
  const refused = new WeakSet<Socket>();

  const answer = (error: ParserError, socket: Socket): void => {
    // The parser repeats itself for all that comes behind its error.
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
      // The request is answered already, or has to wait for those before it.
      lingerOn(socket);
    } else refuse();
  };

  return {
    answer,
    watch: (server) => {
      server.prependListener("request", (request, response) => {
        newest.set(request.socket, response);
      });
      // Without a listener Node hangs up without a word.
      server.on("connect", (_request, stream) => {
        endWith(stream as Socket, new ParleyError("not_found", "There is no such route"));
      });
      // Without a listener Node answers what it does not expect without a body.
      server.on("checkExpectation", (request, response) => {
        server.emit("request", request, response);
      });
    },
  };
}

function explain({ code }: ParserError): ParleyError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return new ParleyError("invalid_request_error", "The request did not arrive in time");
  }
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = "Request line and headers must be less than 16 KiB together";
    return new ParleyError("invalid_request_error", message);
  }
  return new ParleyError("invalid_request_error", "The request is not well-formed HTTP");
}

const reasons: Readonly<Record<number, string>> = { 400: "Bad Request", 404: "Not Found" };

/** Writes an answer by hand, for a request that Node gives no response object for. */
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
