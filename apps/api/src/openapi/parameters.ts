import type { Endpoint } from "@parley/schema";
import { pathValues } from "./example-values.ts";
import { exampleOf } from "./examples.ts";
import type { JsonSchema, Models } from "./models.ts";

type HttpEndpoint = Exclude<Endpoint, { kind: "rpc" }>;

/** The parameters of an endpoint: those of its table, and the headers of its kind. */
export function describeParameters(name: string, endpoint: HttpEndpoint, models: Models): object[] {
  const { query = {} } = exampleOf(name);
  const parameters = membersOf(models.shapeOf(`${name}.params`)).map(({ member, schema }) =>
    parameter("path", member, { schema, example: pathValues[member] }),
  );
  if (endpoint.query !== undefined) {
    for (const { member, schema, required } of membersOf(models.shapeOf(`${name}.query`))) {
      const example = schema["type"] === "integer" ? Number(query[member]) : query[member];
      parameters.push(
        parameter("query", member, { schema, required, ...(query[member] && { example }) }),
      );
    }
  }
  return [...parameters, ...headersOf(name, endpoint)];
}

interface Described {
  readonly schema: JsonSchema;
  readonly required?: boolean;
  readonly example?: unknown;
}

function parameter(
  place: "path" | "query" | "header",
  name: string,
  { schema, required = place === "path", example }: Described,
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

interface Member {
  readonly member: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
}

function membersOf(schema: JsonSchema): Member[] {
  const properties = schema["properties"] as Record<string, JsonSchema>;
  const required = (schema["required"] ?? []) as string[];
  return Object.entries(properties).map(([member, one]) => ({
    member,
    schema: inText(one),
    required: required.includes(member),
  }));
}

/** What a member of a body is as a part of an address: it is never null, and always text. */
function inText({ anyOf, ...schema }: JsonSchema): JsonSchema {
  const [only] = ((anyOf ?? []) as JsonSchema[]).filter((one) => one["type"] !== "null");
  const merged = { ...schema, ...only };
  const type = [merged["type"] ?? "string"].flat().find((one) => one !== "null");
  return { ...merged, type };
}

function headersOf(name: string, endpoint: HttpEndpoint): object[] {
  if (endpoint.kind === "stream") {
    const schema = { type: "string", pattern: "^\\d{0,15}$" };
    const query = "Number of the last event that the client has: the stream goes on behind it";
    const header = "The same; it wins over the query. EventSource sends it when it reconnects";
    return [
      parameter("query", "lastEventId", {
        schema: { ...schema, description: query },
        example: "0",
      }),
      parameter("header", "Last-Event-ID", { schema: { ...schema, description: header } }),
    ];
  }
  // No examples of their own, because the page /docs would send them unasked.
  const text = (header: string, about: string, example: string, more: object = {}): object => {
    const description = `${about}, such as \`${example}\``;
    return parameter("header", header, { schema: { type: "string", description, ...more } });
  };
  if (endpoint.kind === "bytes") {
    return [
      text("Range", "The bytes to send, in one range", "bytes=0-15"),
      text("If-Range", "The ETag of the file whose range is asked for", '"5f2b"'),
      text("If-None-Match", "ETags of what the client has", '"5f2b"'),
    ];
  }
  if (endpoint.kind !== "json") return [];
  const headers: object[] = [];
  if (endpoint.kept === true) {
    headers.push(text("If-None-Match", "ETags of what the client has", 'W/"5f2b"'));
  }
  if (endpoint.method === "POST") {
    headers.push(
      text("Idempotency-Key", "The same request under the same key is done once", "order-1017", {
        minLength: 1,
        maxLength: 255,
      }),
    );
  }
  if (name === "sandboxFunctions.invoke") {
    const about = "`respond-async` answers at once; `wait=N` waits N seconds for the outcome";
    headers.push(text("Prefer", about, "wait=5"));
  }
  return headers;
}
