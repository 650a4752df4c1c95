import type { Endpoint } from "@parley/schema";
import { errorsByStatus, referToHeaders, type Refusals } from "./errors.ts";
import { exampleOf } from "./examples.ts";
import type { JsonSchema, Models } from "./models.ts";
import { describeParameters } from "./parameters.ts";

export type HttpEndpoint = Exclude<Endpoint, { kind: "rpc" }>;

/** What operations of the document are made of. */
export interface Parts {
  readonly input: Models;
  readonly output: Models;
  readonly refusals: Refusals;
}

/** An operation of the document, with its place. */
export interface Operation {
  readonly path: string;
  readonly method: string;
  readonly operation: object;
}

const RATED = ["x-request-id", "RateLimit", "RateLimit-Policy"];
const BYTES = { type: "string", contentMediaType: "application/octet-stream" };

/** The operations of an endpoint: of a stream, the redirect and what is behind it. */
export function describeOperations(
  name: string,
  endpoint: HttpEndpoint,
  parts: Parts,
): Operation[] {
  const { path, method, summary, tags, specified, role } = endpoint;
  const parameters = describeParameters(name, endpoint, parts.input);
  const shared = {
    summary,
    description: `Least role of the key: ${role}.`,
    tags: specified ? ["specified"] : tags,
    parameters,
  };
  const requestBody = describeBody(name, endpoint, parts.input);
  const operation = {
    operationId: name,
    ...shared,
    ...(requestBody && { requestBody }),
    responses: {
      ...describeSuccess(name, endpoint, parts.output),
      ...refuse(endpoint, parts.refusals),
    },
  };
  const first = { path, method: method.toLowerCase(), operation };
  if (endpoint.kind !== "stream") return [first];
  const behind = {
    ...shared,
    operationId: `${name}.stream`,
    summary: `${summary}: the stream itself`,
    responses: {
      ...describeStream(name, endpoint, parts.output),
      ...refuse(endpoint, parts.refusals),
    },
  };
  return [first, { ...first, path: path.replace("/api/", "/api/sse/"), operation: behind }];
}

function refuse(endpoint: HttpEndpoint, refusals: Refusals): object {
  const all = errorsByStatus(endpoint);
  return Object.fromEntries(all.map(([status, types]) => [status, refusals.refer(status, types)]));
}

function describeBody(name: string, endpoint: HttpEndpoint, models: Models): object | undefined {
  const example = exampleOf(name).body;
  if (endpoint.kind === "upload") {
    const schema = { type: "object", required: ["file"], properties: { file: BYTES } };
    return multipart(schema, { file: "We open at nine." });
  }
  if (endpoint.body === undefined) return undefined;
  const schema = models.of(`${name}.body`);
  if (endpoint.kind === "form") {
    const files = { type: "array", items: BYTES, minItems: 1, maxItems: endpoint.maxFiles };
    const description = `Files, each with its path as its name; ${endpoint.maxBytes} bytes together`;
    const own = {
      type: "object",
      required: ["files"],
      properties: { files: { ...files, description } },
    };
    const given = { ...(example as object), files: ["---\nname: greeting\n"] };
    return multipart({ allOf: [schema, own] }, given);
  }
  return { required: true, content: { "application/json": { schema, example } } };
}

function multipart(schema: JsonSchema, example: unknown): object {
  return { required: true, content: { "multipart/form-data": { schema, example } } };
}

function describeSuccess(name: string, endpoint: HttpEndpoint, models: Models): object {
  if (endpoint.kind === "stream") {
    const redirect = {
      description: "The stream is at `Location`; send the credential there too",
      headers: referToHeaders(["x-request-id", "Location"]),
    };
    return { 307: redirect, ...describeStream(name, endpoint, models) };
  }
  if (endpoint.kind === "bytes") return describeBytes();
  const headers = [...RATED];
  const unchanged: Record<string, object> = {};
  if (endpoint.kind === "json" && endpoint.method === "POST") headers.push("Idempotent-Replayed");
  if (endpoint.kind === "json" && endpoint.kept === true) {
    headers.push("ETag");
    unchanged[304] = {
      description: "The client has what would be answered",
      headers: referToHeaders([...RATED, "ETag"]),
    };
  }
  const content = {
    "application/json": {
      schema: models.of(`${name}.output`),
      example: exampleOf(name).output,
    },
  };
  const description = "Done";
  return {
    [endpoint.status]: { description, headers: referToHeaders(headers), content },
    ...unchanged,
  };
}

function describeBytes(): object {
  const headers = [...RATED, "ETag"];
  const content = { "*/*": { schema: BYTES, example: "We open at nine." } };
  return {
    200: { description: "The file", headers: referToHeaders(headers), content },
    206: {
      description: "The range of the file that was asked for",
      headers: referToHeaders([...headers, "Content-Range"]),
      content,
    },
    304: {
      description: "The client has the file",
      headers: referToHeaders(headers),
    },
  };
}

function describeStream(
  name: string,
  endpoint: Extract<HttpEndpoint, { kind: "stream" }>,
  models: Models,
): object {
  const event = models.of(`${name}.event`);
  const { event: example } = exampleOf(name);
  const frame = {
    type: "object",
    required: ["eventId", "data"],
    properties: {
      eventId: { type: "string", description: "Number of the event, in decimal" },
      data: event,
    },
  };
  const data = endpoint.enveloped ? { eventId: "1", data: example } : example;
  const stream = {
    description: "Server-Sent Events, until the last event",
    headers: referToHeaders(RATED),
    content: {
      "text/event-stream": {
        schema: {
          type: "string",
          description:
            "Each event is one line `data: ` with JSON, described by `contentSchema`, and a blank " +
            "line; a line `id: ` comes before it where the client sent a last event id. Lines " +
            "that begin with a colon keep the connection alive",
          contentMediaType: "application/json",
          contentSchema: endpoint.enveloped ? frame : event,
        },
        example: `data: ${JSON.stringify(data)}\n\n`,
      },
    },
  };
  if (endpoint.enveloped) return { 200: stream };
  const over = {
    description: "The client has every event, and there will be no more",
    headers: referToHeaders(RATED),
  };
  return { 200: stream, 204: over };
}
