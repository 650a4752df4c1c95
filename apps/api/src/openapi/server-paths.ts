import { referToHeaders, type Refusals } from "./errors.ts";

interface Page {
  readonly operationId: string;
  readonly summary: string;
  readonly type: string;
  readonly schema: object;
  readonly example?: unknown;
  readonly headers?: readonly string[];
}

const status = {
  type: "application/json",
  schema: {
    type: "object",
    required: ["status"],
    properties: { status: { type: "string", const: "ok", description: "Always ok" } },
  },
  example: { status: "ok" },
};

/** What the server answers to everybody. */
export function describeServerPaths(refusals: Refusals): Record<string, object> {
  const open = (page: Page, more: object = {}, parameters: readonly object[] = []) =>
    describePage(page, refusals, { more, parameters });
  return {
    "/livez": open({
      ...status,
      operationId: "server.live",
      summary: "Whether the process answers",
    }),
    "/readyz": open(
      { ...status, operationId: "server.ready", summary: "Whether the server can serve" },
      { 503: refusals.refer(503, ["service_unavailable"], false) },
    ),
    "/openapi.json": open(
      {
        operationId: "server.document",
        summary: "Read this document",
        type: "application/json",
        schema: {
          type: "object",
          required: ["openapi"],
          additionalProperties: true,
          properties: { openapi: { type: "string", description: "Version of OpenAPI" } },
        },
        example: { openapi: "3.1.1" },
        headers: ["ETag"],
      },
      {
        304: {
          description: "The client has it",
          headers: referToHeaders(["x-request-id", "ETag"]),
        },
      },
      [
        {
          name: "If-None-Match",
          in: "header",
          required: false,
          description: "ETags of what the client has",
          schema: { type: "string" },
        },
      ],
    ),
    "/docs": open({
      operationId: "server.reference",
      summary: "Read this document in a browser, and try its operations",
      type: "text/html",
      schema: { type: "string" },
    }),
    "/llms.txt": open({
      operationId: "server.overview",
      summary: "Read where a language model finds what about the server",
      type: "text/plain",
      schema: { type: "string" },
    }),
  };
}

function describePage(
  { operationId, summary, type, schema, example, headers = [] }: Page,
  refusals: Refusals,
  { more, parameters }: { more: object; parameters: readonly object[] },
): object {
  return {
    get: {
      operationId,
      summary,
      tags: ["server"],
      security: [],
      ...(parameters.length > 0 && { parameters }),
      responses: {
        200: {
          description: "Here it is",
          headers: referToHeaders(["x-request-id", ...headers]),
          content: { [type]: { schema, ...(example !== undefined && { example }) } },
        },
        400: refusals.refer(400, ["invalid_request_error"], false),
        500: refusals.refer(500, ["internal_server_error"], false),
        ...more,
      },
    },
  };
}
