// The reads of the Durable Streams protocol: a log's own stream as pages of JSON, as waits for the next events, and
// as Server-Sent Events. Its writes have no routes: only the server appends to a log.
import {
  type DoorEndpoint,
  doors,
  type ErrorType,
  invalidRequest,
  type ParsedInputOf,
  type ParleyError,
} from "@parley/schema";
import { refuseTasks } from "@parley/core";
import type { FastifyInstance } from "fastify";
import type { ApiServices } from "../../services.ts";
import { type DoorExchange, openLog, registerDoor } from "../door.ts";
import { catchUp, describe, follow, poll, type Query, type Read } from "./reads.ts";

type StreamName = Parameters<typeof openLog>[1];

interface Stream {
  readonly endpoint: DoorEndpoint;
  /** Name of the log's own stream. */
  readonly name: StreamName;
  /** The error for a log that was deleted. */
  readonly gone: ErrorType;
}

const streams: readonly Stream[] = [
  {
    endpoint: doors["conversations.stream"],
    name: "conversations.events",
    gone: "conversation_not_found",
  },
  { endpoint: doors["messages.stream"], name: "messages.events", gone: "message_not_found" },
  {
    endpoint: doors["sandboxFunctions.stream"],
    name: "sandboxFunctions.events",
    gone: "sandbox_function_invocation_not_found",
  },
];

/** Serves every log as a stream of the protocol, with the checks and limits of its own stream. */
export function registerDurableStreams(app: FastifyInstance, services: ApiServices): void {
  for (const stream of streams) {
    registerDoor(app, services, {
      endpoint: stream.endpoint,
      answersHead: true,
      rateLimitOf: ({ query }) => ((query as Query).live === undefined ? "read" : "stream"),
      handle: (exchange, input) => answer(exchange, stream, input),
    });
  }
}

async function answer(
  exchange: DoorExchange,
  { name, gone }: Stream,
  input: ParsedInputOf<DoorEndpoint>,
): Promise<undefined> {
  // The rows of the three doors have these members.
  const query = input as Query;
  if (query.live !== undefined && query.offset === undefined) throw offsetRequired();
  const { params, query: raw } = exchange.request;
  const { include } = raw as { include?: unknown };
  const source = await openLog(exchange, name, { params: params as object, query: { include } });
  refuseTasks(source);
  const read: Read = { exchange, query, source, name, gone };
  if (exchange.request.method === "HEAD") await describe(read);
  else if (query.live === "sse") await follow(read);
  else if (query.live === "long-poll") await poll(read);
  else await catchUp(read);
  return undefined;
}

function offsetRequired(): ParleyError {
  return invalidRequest("query", [{ path: "offset", message: "is required with live" }]);
}
