import { exampleOf, isKeyed, type Endpoint } from "@parley/schema";
import type * as z from "zod";
import type { JsonSchema, Models } from "./models.ts";

/** The parameters of an endpoint: those of its table, and the headers of its kind. */
export function describeParameters(name: string, endpoint: Endpoint, models: Models): object[] {
  const { params, query } = endpoint;
  return [
    ...membersOf(params, models.shapeOf(`${name}.params`), "path"),
    ...(query === undefined ? [] : membersOf(query, models.shapeOf(`${name}.query`), "query")),
    ...headersOf(name, endpoint),
  ];
}

interface Described {
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly example?: unknown;
}

function parameter(
  place: "path" | "query" | "header",
  name: string,
  { schema, required = false, example }: Described,
): object {
  const { description, ...rest } = schema;
  return {
    name,
    in: place,
    required,
    description,
    schema: rest,
    ...(example !== undefined && { example }),
  };
}

function membersOf(model: z.ZodObject, json: JsonSchema, place: "path" | "query"): object[] {
  const required = (json["required"] ?? []) as string[];
  return Object.entries(json["properties"] as Record<string, JsonSchema>).map(([name, member]) =>
    parameter(place, name, {
      schema: asText(member),
      required: place === "path" || required.includes(name),
      example: exampleOf(model.shape[name] as z.ZodType),
    }),
  );
}

/** The schema of a member as part of a URL: it is never null, and always text. */
function asText({ anyOf, ...schema }: JsonSchema): JsonSchema {
  const [only] = ((anyOf ?? []) as JsonSchema[]).filter((one) => one["type"] !== "null");
  const merged = { ...schema, ...only };
  const type = [merged["type"] ?? "string"].flat().find((one) => one !== "null");
  return { ...merged, type };
}

function headersOf(name: string, endpoint: Endpoint): object[] {
  if (endpoint.kind === "stream") {
    const schema = { type: "string", pattern: "^\\d{0,15}$" };
    const query = "Number of the last event that the client has: the stream continues after it";
    const header = "The same; it wins over the query. EventSource sends it when it reconnects";
    const { formats = [] } = endpoint;
    const format =
      "Another protocol in which the stream is sent: `id:` lines then have the cursors for Last-Event-ID";
    return [
      ...(formats.length === 0
        ? []
        : [
            parameter("query", "format", {
              schema: { type: "string", enum: formats, description: format },
            }),
          ]),
      parameter("query", "lastEventId", {
        schema: { ...schema, description: query },
        example: "0",
      }),
      parameter("header", "Last-Event-ID", { schema: { ...schema, description: header } }),
    ];
  }
  // Without `example`: the page /docs/api would send it unasked.
  const text = (header: string, about: string, example: string, more: object = {}): object => {
    const description = `${about}, such as \`${example}\``;
    return parameter("header", header, { schema: { type: "string", description, ...more } });
  };
  const etags = (example: string) =>
    text("If-None-Match", "ETags of the responses that the client has", example);
  if (endpoint.kind === "download" && endpoint.method === "GET") {
    return [
      text("Range", "The bytes to send, in one range", "bytes=0-15"),
      text("If-Range", "The ETag of the file whose range is requested", '"5f2b"'),
      etags('"5f2b"'),
    ];
  }
  if (endpoint.kind !== "json" && endpoint.kind !== "door") return [];
  const headers: object[] = [];
  if (endpoint.kind === "json" && endpoint.response === "cacheable")
    headers.push(etags('W/"5f2b"'));
  if (endpoint.kind === "door" && endpoint.readsLog === true) {
    headers.push(etags('"5f2b"'));
    headers.push(text("Prefer", "`wait=N` waits N seconds with live=long-poll", "wait=5"));
  }
  if (isKeyed(endpoint)) {
    const about = "The same request under the same key is executed once";
    const length = { minLength: 1, maxLength: 255 };
    headers.push(text("Idempotency-Key", about, "order-1017", length));
  }
  if (name === "sandboxFunctions.invoke" || name === "tools.invoke") {
    const about = "`respond-async` answers at once; `wait=N` waits N seconds for the outcome";
    headers.push(text("Prefer", about, "wait=5"));
  }
  return headers;
}
