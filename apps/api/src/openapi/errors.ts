import { type Endpoint, type ErrorType, errorTable } from "@parley/schema";
import type { JsonSchema } from "./models.ts";

type HttpEndpoint = Exclude<Endpoint, { kind: "rpc" }>;

/** Every operation that asks for a key can answer with these. */
const everywhere: readonly ErrorType[] = [
  "invalid_request_error",
  "not_authenticated",
  "malformed_authorization_header_error",
  "invalid_api_key_error",
  "workspace_auth_error",
  "app_auth_error",
  "rate_limit_error",
  "internal_server_error",
];

/** Which error types an endpoint answers with which status, in the order of the statuses. */
export function errorsByStatus(endpoint: HttpEndpoint): [number, ErrorType[]][] {
  const types = new Set([...everywhere, ...endpoint.errors]);
  // Clients retry a stream only on 408 and 429.
  if (endpoint.kind !== "stream") types.add("service_unavailable");
  if (endpoint.kind === "json" && endpoint.method !== "GET") types.add("content_too_large");
  if (endpoint.kind === "json" && endpoint.method === "POST") {
    types.add("idempotency_key_mismatch").add("idempotency_key_in_use");
  }
  const byStatus = new Map<number, Set<ErrorType>>();
  const add = (status: number, type: ErrorType): void => {
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(type));
  };
  for (const type of types) {
    add(errorTable[type].status, type);
    // What a body refers to is a fault of the body.
    if (type === "file_not_found" && !("fileId" in endpoint.params.shape)) add(400, type);
  }
  if (endpoint.kind === "bytes") add(416, "invalid_request_error");
  return [...byStatus]
    .map(([status, found]): [number, ErrorType[]] => [status, [...found]])
    .toSorted(([one], [other]) => one - other);
}

const headersOf: Readonly<Record<number, readonly string[]>> = {
  401: ["WWW-Authenticate"],
  405: ["Allow"],
  409: ["Retry-After"],
  416: ["Content-Range"],
  429: ["Retry-After"],
  503: ["Retry-After"],
};

const names: Readonly<Record<number, string>> = {
  400: "The request is refused as it is",
  401: "The credential is missing or refused",
  403: "The key may not do this",
  404: "What the path names is not there",
  405: "The path has no such method",
  409: "Something else is in the way",
  413: "The body is too large",
  416: "The range is not one of the file",
  422: "The idempotency key belongs to another request",
  429: "A limit is reached",
  500: "The server failed",
  503: "The server cannot answer now",
};

/** The refusals of operations: what is said alike stands once, among the document's components. */
export interface Refusals {
  readonly components: Readonly<Record<string, object>>;
  /** A reference to the response of a status with these error types, each with an example. */
  refer(status: number, types: readonly ErrorType[], rated?: boolean): object;
}

/** Begins to collect refusals; `body` is the schema of every error answer. */
export function createRefusals(body: JsonSchema): Refusals {
  const components: Record<string, object> = {};
  return {
    components,
    refer: (status, types, rated = true) => {
      const own = types.filter((type) => !everywhere.includes(type) || !rated);
      const name = ["Error", status, ...own.toSorted()].join(".");
      components[name] ??= describe(status, types, { rated, body });
      return { $ref: `#/components/responses/${name}` };
    },
  };
}

function describe(
  status: number,
  types: readonly ErrorType[],
  { rated, body }: { rated: boolean; body: JsonSchema },
): object {
  const headers = ["x-request-id", ...(headersOf[status] ?? [])];
  // A credential is refused before a call is counted.
  if (rated && status !== 401) headers.push("RateLimit", "RateLimit-Policy");
  return {
    description: names[status] ?? "Refused",
    headers: referToHeaders(headers),
    content: {
      "application/json": {
        schema: ofTypes(body, types),
        examples: Object.fromEntries(types.map((type) => [type, exampleOfError(type)])),
      },
    },
  };
}

/** References to headers of the document's components. */
export function referToHeaders(headers: readonly string[]): object {
  return Object.fromEntries(
    headers.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

function ofTypes(body: JsonSchema, types: readonly ErrorType[]): JsonSchema {
  const copy: JsonSchema = structuredClone(body);
  const { error } = (copy as { properties: { error: { properties: { type: JsonSchema } } } })
    .properties;
  error.properties.type["enum"] = types;
  return copy;
}

function exampleOfError(type: ErrorType): object {
  const { cause, cure } = errorTable[type];
  const issues = [{ path: "message.content", message: "must be a string" }];
  return {
    summary: cause,
    description: cure,
    value: {
      error: {
        type,
        message:
          type === "invalid_request_error"
            ? "Invalid request body: message.content: must be a string"
            : cause,
        request_id: "0b7f4a52-7d0c-4c55-9d3e-2f6a1c1e8b90",
        ...(type === "invalid_request_error" && { issues }),
      },
    },
  };
}
