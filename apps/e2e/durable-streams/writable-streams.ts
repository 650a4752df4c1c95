// The protocol's writes in front of the server's reads, for the conformance suite alone: PUT opens the log of a
// message, POST appends to it, and what is read passes through the real route. A log has JSON, so the bytes of a
// stream of another type are carried in strings.
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { LogEvent } from "@parley/schema";
import type { OpenApi } from "./open-api.ts";
import { passRead, type WritableStream } from "./pass-read.ts";

/** What the suite asks of a server that is written to, and the server is not. */
const unsupported = [
  "stream-ttl",
  "stream-expires-at",
  "stream-forked-from",
  "producer-id",
  "stream-seq",
];

/** Serves streams that can be written. */
export async function serveWritableStreams(
  api: OpenApi,
): Promise<AsyncDisposable & { url: string }> {
  const streams = new Map<string, WritableStream>();
  const server = createServer((request, response) => {
    answer({ api, streams, request, response }).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

interface Call {
  readonly api: OpenApi;
  readonly streams: Map<string, WritableStream>;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function answer(call: Call): Promise<void> {
  const { streams, request, response, api } = call;
  const { method = "GET", url = "/" } = request;
  const [path = ""] = url.split("?");
  const stream = streams.get(path);
  response.setHeader("X-Content-Type-Options", "nosniff");
  if (method !== "PUT" && method !== "POST" && method !== "DELETE") {
    return passRead(api, stream, { request, response });
  }
  if (unsupported.some((name) => request.headers[name] !== undefined)) return end(response, 501);
  if (method === "PUT") return create(call, path);
  if (stream === undefined) return end(response, 404);
  if (method === "POST") return append(call, stream);
  streams.delete(path);
  end(response, 204);
}

async function create({ api, streams, request, response }: Call, path: string): Promise<void> {
  const body = await readBody(request);
  const contentType = request.headers["content-type"] ?? "application/octet-stream";
  const closed = isClosing(request);
  const known = streams.get(path);
  if (known !== undefined) {
    const isSame = isSameType(known.contentType, contentType) && known.closed === closed;
    if (!isSame) return end(response, 409);
    return end(response, 200, headersOf(known));
  }
  const values = body.length === 0 ? [] : parse(contentType, body);
  if (values === undefined) return end(response, 400);
  const stream = { contentType, ...(await api.openLog()), end: 0, closed: false };
  await write(api, stream, { values, closed });
  streams.set(path, stream);
  const location = `http://${request.headers.host}${path}`;
  end(response, 201, { ...headersOf(stream), Location: location });
}

async function append({ api, request, response }: Call, stream: WritableStream): Promise<void> {
  const body = await readBody(request);
  const closed = isClosing(request);
  const contentType = request.headers["content-type"];
  if (stream.closed) {
    return end(response, body.length === 0 && closed ? 204 : 409, headersOf(stream));
  }
  if (body.length === 0) {
    if (!closed) return end(response, 400);
    await write(api, stream, { values: [], closed });
    return end(response, 204, headersOf(stream));
  }
  if (contentType === undefined) return end(response, 400);
  if (!isSameType(stream.contentType, contentType)) return end(response, 409);
  const values = parse(contentType, body);
  if (values === undefined || values.length === 0) return end(response, 400);
  await write(api, stream, { values, closed });
  end(response, 204, headersOf(stream));
}

async function write(
  api: OpenApi,
  stream: WritableStream,
  { values, closed }: { values: readonly unknown[]; closed: boolean },
): Promise<void> {
  // A message of a client's server is stored as it is, whatever it is; the event that closes a log has a type.
  const events = values.map((message, index) =>
    closed && index === values.length - 1
      ? { type: "agent_generation_cancelled", last: message }
      : { type: "client_server_message", message },
  );
  // These are not the events of any log: the route under test does not look into them.
  if (events.length > 0)
    stream.end = await api.append(stream.logId, events as unknown as LogEvent[]);
  else if (closed) await api.close(stream.logId);
  stream.closed ||= closed;
}

/** The values of a body: JSON flattened by one level, and other bytes in a string; undefined for malformed JSON. */
function parse(contentType: string, body: Buffer): unknown[] | undefined {
  if (!isSameType(contentType, "application/json")) return [body.toString("base64")];
  try {
    const value: unknown = JSON.parse(body.toString());
    return Array.isArray(value) ? value : [value];
  } catch {
    return undefined;
  }
}

const essence = (type: string) => type.split(";")[0]?.trim().toLowerCase();
const isSameType = (one: string, other: string) => essence(one) === essence(other);
const isClosing = ({ headers }: IncomingMessage) => headers["stream-closed"] === "true";

function headersOf({ contentType, end: seq, closed }: WritableStream): Record<string, string> {
  return {
    "Content-Type": contentType,
    "Stream-Next-Offset": String(seq).padStart(16, "0"),
    ...(closed && { "Stream-Closed": "true" }),
  };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers).end();
}
