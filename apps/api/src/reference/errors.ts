import {
  commonErrors,
  errorTable,
  type ErrorType,
  type DoorEndpoint,
  errorTypesOf,
  type Endpoint,
  openAiCodeOf,
  renderOpenAiError,
} from "@parley/schema";
import type { JsonSchema } from "./models.ts";

/** The error types of an endpoint by their status, sorted. */
export function errorsByStatus(endpoint: Endpoint): [number, ErrorType[]][] {
  const found = [...errorTypesOf(endpoint)].map((type): [number, ErrorType] => {
    return [errorTable[type].status, type];
  });
  // An unknown file in a body is a fault of the body.
  const isInBody =
    endpoint.errors.includes("file_not_found") && !("fileId" in endpoint.params.shape);
  if (isInBody) found.push([400, "file_not_found"]);
  if (endpoint.kind === "download" && endpoint.method === "GET")
    found.push([416, "invalid_request_error"]);
  return [...Map.groupBy(found, ([status]) => status)]
    .map(([status, pairs]): [number, ErrorType[]] => [status, pairs.map(([, type]) => type)])
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
  400: "The request is invalid",
  401: "The credential is missing or refused",
  403: "The role of the key is too low",
  404: "The path names something unknown",
  405: "The path has no such method",
  409: "The request conflicts with the current state",
  413: "The body is too large",
  416: "The file has no such range",
  422: "The idempotency key belongs to another request",
  429: "A limit is reached",
  500: "The server failed",
  503: "The server cannot answer now",
};

/** How an operation refuses. */
interface ReferOptions {
  /** Whether calls are counted before they are refused; true by default. */
  readonly rated?: boolean;
  /** Whose words its errors are in; the server's own by default. */
  readonly errorsOf?: DoorEndpoint["errorsOf"];
}

/** The refusals of operations; equal ones are shared among the document's components. */
export interface Refusals {
  readonly components: Readonly<Record<string, object>>;
  /** A reference to the response of a status with these error types, each with an example. */
  refer(status: number, types: readonly ErrorType[], options?: ReferOptions): object;
}

/** The schemas of error responses, by whose words they are in. */
export type ErrorBodies = Readonly<Record<"parley" | "openai", JsonSchema>>;

/** Starts to collect refusals; `bodies` are the schemas of error responses. */
export function createRefusals(bodies: ErrorBodies): Refusals {
  const components: Record<string, object> = {};
  return {
    components,
    refer: (status, types, { rated = true, errorsOf: given } = {}) => {
      const errorsOf = given ?? "parley";
      const own = types.filter((type) => !commonErrors.includes(type) || !rated);
      const begin = errorsOf === "parley" ? "Error" : "OpenAiError";
      const name = [begin, status, ...own.toSorted()].join(".");
      components[name] ??= describe(status, types, { rated, errorsOf, body: bodies[errorsOf] });
      return { $ref: `#/components/responses/${name}` };
    },
  };
}

function describe(
  status: number,
  types: readonly ErrorType[],
  { rated, errorsOf, body }: { rated: boolean; errorsOf: keyof ErrorBodies; body: JsonSchema },
): object {
  const headers = ["x-request-id", ...(headersOf[status] ?? [])];
  // Credentials are refused before calls are counted.
  if (rated && status !== 401) headers.push("RateLimit", "RateLimit-Policy");
  return {
    description: names[status] ?? "Refused",
    headers: referToHeaders(headers),
    content: {
      "application/json": {
        schema: errorsOf === "openai" ? ofCodes(body, types) : ofTypes(body, types),
        examples: Object.fromEntries(types.map((type) => [type, exampleOfError(type, errorsOf)])),
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

function ofCodes(body: JsonSchema, types: readonly ErrorType[]): JsonSchema {
  const copy: JsonSchema = structuredClone(body);
  const { error } = (copy as { properties: { error: { properties: { code: JsonSchema } } } })
    .properties;
  error.properties.code["enum"] = types.map(openAiCodeOf);
  return copy;
}

function exampleOfError(type: ErrorType, errorsOf: keyof ErrorBodies): object {
  const { cause, cure, status } = errorTable[type];
  const issues = [{ path: "message.content", message: "must be a string" }];
  if (errorsOf === "openai") {
    const value = renderOpenAiError({ type, message: cause, status, issues: [] });
    return { summary: cause, description: cure, value };
  }
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
