import {
  type DoorEndpoint,
  exampleOf,
  type Endpoint,
  isAdministration,
  isKeyed,
  type StreamEndpoint,
} from "@parley/schema";
import type * as z from "zod";
import { errorsByStatus, referToHeaders, type Refusals } from "./errors.ts";
import type { JsonSchema, Models } from "./models.ts";
import { describeParameters } from "./parameters.ts";

/** What operations of the document refer to. */
export interface Parts {
  readonly input: Models;
  readonly output: Models;
  readonly refusals: Refusals;
}

const RATED = ["x-request-id", "RateLimit", "RateLimit-Policy"];
/** The headers of a read of a log. */
const POSITION = ["Stream-Next-Offset", "Stream-Up-To-Date", "Stream-Closed", "Stream-Cursor"];
const BYTES = { type: "string", contentMediaType: "application/octet-stream" };

const eventStream = {
  type: "string",
  description:
    "Each event is one line `data: ` with JSON, described by `contentSchema`, and a blank " +
    "line; a line `id: ` comes before it where the client sent a last event id. Lines " +
    "that begin with a colon keep the connection alive",
  contentMediaType: "application/json",
};

/** The operations of an endpoint, each with its path: a stream has one for its redirect too. */
export function describeOperations(
  name: string,
  endpoint: Endpoint,
  { input, output, refusals }: Parts,
): [path: string, operation: object][] {
  const { path, summary, tags, specified, role } = endpoint;
  const shared = {
    summary,
    description: `Least role of the key: ${role}.`,
    tags: specified ? ["specified"] : tags,
    parameters: describeParameters(name, endpoint, input),
    ...(isAdministration(endpoint) && { security: [{ administrationKey: [] }] }),
  };
  const errors = Object.fromEntries(
    errorsByStatus(endpoint).map(([status, types]) => {
      const errorsOf = endpoint.kind === "door" ? endpoint.errorsOf : undefined;
      return [status, refusals.refer(status, types, errorsOf && { errorsOf })];
    }),
  );
  const requestBody = describeBody(name, endpoint, input);
  const operation = {
    operationId: name,
    ...shared,
    ...(requestBody && { requestBody }),
    responses: { ...describeSuccess(name, endpoint, output), ...errors },
  };
  if (endpoint.kind === "json" && endpoint.alsoAt !== undefined) {
    const inSpace = { ...operation, operationId: `${name}.inSpace` };
    const hasSpace = (isIn: boolean) => (parameter: object) =>
      isIn || !("name" in parameter && parameter.name === "spaceId");
    return [
      [path, { ...operation, parameters: operation.parameters.filter(hasSpace(false)) }],
      [endpoint.alsoAt, inSpace],
    ];
  }
  if (endpoint.kind === "door" && endpoint.alsoAt !== undefined) {
    const ofKey = { ...operation, operationId: `${name}.ofKey` };
    return [
      [path, operation],
      [endpoint.alsoAt, { ...ofKey, parameters: operation.parameters.filter(isNotWorkspace) }],
    ];
  }
  if (endpoint.kind !== "stream") return [[path, operation]];
  const stream = {
    ...shared,
    operationId: `${name}.stream`,
    summary: `${summary}: the stream itself`,
    responses: { ...describeStream(name, endpoint, output), ...errors },
  };
  return [
    [path, operation],
    [path.replace("/api/", "/api/sse/"), stream],
  ];
}

const isNotWorkspace = (parameter: object): boolean =>
  !("name" in parameter && parameter.name === "wId");

function describeBody(name: string, endpoint: Endpoint, models: Models): object | undefined {
  if (endpoint.kind === "upload") {
    const schema = { type: "object", required: ["file"], properties: { file: BYTES } };
    return multipart(schema, { file: "We open at nine." });
  }
  if (endpoint.body === undefined) return undefined;
  const schema = models.of(`${name}.body`);
  const example = exampleOf(endpoint.body);
  if (endpoint.kind === "multipart") {
    const description = `Files, each with its path as its name; ${endpoint.maxBytes} bytes together`;
    const list = { type: "array", items: BYTES, minItems: 1, maxItems: endpoint.maxFiles };
    const files = { ...list, description };
    const own = { type: "object", required: ["files"], properties: { files } };
    return multipart({ allOf: [schema, own] }, { ...example, files: ["---\nname: greeting\n"] });
  }
  return { required: true, content: { "application/json": { schema, example } } };
}

function multipart(schema: JsonSchema, example: unknown): object {
  return { required: true, content: { "multipart/form-data": { schema, example } } };
}

function respond(description: string, headers: readonly string[], content?: object): object {
  return { description, headers: referToHeaders(headers), ...(content && { content }) };
}

function describeSuccess(name: string, endpoint: Endpoint, models: Models): object {
  if (endpoint.kind === "stream") {
    const about = "The stream is at `Location`; send the credential there too";
    const redirect = respond(about, ["x-request-id", "Location"]);
    return { 307: redirect, ...describeStream(name, endpoint, models) };
  }
  if (endpoint.kind === "download") return describeBytes(endpoint);
  if (endpoint.kind === "door") return describeDoor(name, endpoint, models);
  if (endpoint.status === 204) return { 204: respond("Done", RATED) };
  const isCacheable = endpoint.kind === "json" && endpoint.response === "cacheable";
  const isCreate = endpoint.kind === "json" && isKeyed(endpoint);
  const own = [...(isCreate ? ["Idempotent-Replayed"] : []), ...(isCacheable ? ["ETag"] : [])];
  const schema = models.of(`${name}.output`);
  const content = { "application/json": { schema, example: exampleOf(endpoint.output) } };
  return {
    [endpoint.status]: respond("Done", [...RATED, ...own], content),
    ...(isCacheable && {
      304: respond("The client has the current response", [...RATED, "ETag"]),
    }),
  };
}

function describeDoor(name: string, endpoint: DoorEndpoint, models: Models): object {
  if (endpoint.status === 204) return { 204: respond("Done", RATED) };
  const contentOf = (part: "output" | "event", model: z.ZodType, schema: JsonSchema): object =>
    part === "output"
      ? { "application/json": { schema, example: exampleOf(model) } }
      : {
          "text/event-stream": {
            schema: { ...eventStream, contentSchema: schema },
            example: `data: ${JSON.stringify(exampleOf(model))}\n\n`,
          },
        };
  const content = (["output", "event"] as const).flatMap((part) => {
    const model = endpoint[part];
    return model === undefined ? [] : [contentOf(part, model, models.of(`${name}.${part}`))];
  });
  const own = isKeyed(endpoint) ? ["Idempotent-Replayed"] : [];
  const all: object = Object.assign({}, ...content);
  if (endpoint.readsLog !== true) {
    return {
      [endpoint.status]: respond("Done", [...RATED, ...own], all),
      ...(endpoint.mayBeIdle === true && { 204: respond("Nothing runs", RATED) }),
    };
  }
  const headers = [...RATED, ...POSITION];
  return {
    200: respond("The next events, as JSON or with live=sse as a stream", [...headers, "ETag"], {
      ...all,
      "text/event-stream": { schema: eventStream },
    }),
    204: respond("Nothing came while the client waited, or nothing will come", headers),
    304: respond("The client has the current response", [...headers, "ETag"]),
  };
}

function describeBytes({ method }: Endpoint): object {
  if (method === "POST") {
    const example = "timestamp,origin\r\n";
    return { 200: respond("The file", RATED, { "*/*": { schema: BYTES, example } }) };
  }
  const headers = [...RATED, "ETag"];
  const content = { "*/*": { schema: BYTES, example: "We open at nine." } };
  return {
    200: respond("The file", headers, content),
    206: respond("The requested range of the file", [...headers, "Content-Range"], content),
    304: respond("The client has the file", headers),
  };
}

function describeStream(name: string, endpoint: StreamEndpoint, models: Models): object {
  const event = models.of(`${name}.event`);
  const example = exampleOf(endpoint.event);
  const frame = {
    type: "object",
    required: ["eventId", "data"],
    properties: {
      eventId: { type: "string", description: "Number of the event, in decimal" },
      data: event,
    },
  };
  const schema = { ...eventStream, contentSchema: endpoint.enveloped ? frame : event };
  const data = endpoint.enveloped ? { eventId: "1", data: example } : example;
  const content = { schema, example: `data: ${JSON.stringify(data)}\n\n` };
  const about = "Server-Sent Events, until the last event";
  const stream = respond(about, RATED, { "text/event-stream": content });
  if (endpoint.enveloped) return { 200: stream };
  return {
    200: stream,
    204: respond("The client has every event, and there will be no more", RATED),
  };
}
