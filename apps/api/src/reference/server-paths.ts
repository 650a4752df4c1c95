import { CLIENT_DOCUMENT_PATH, picturePaths, renderClientDocument } from "@parley/core";
import { PAGE_ID } from "./conversation-page.ts";
import { referToHeaders, type Refusals } from "./errors.ts";

interface Page {
  readonly operationId: string;
  readonly summary: string;
  readonly type: string;
  readonly schema?: object;
  readonly example?: unknown;
  readonly headers?: readonly string[];
  readonly parameters?: readonly object[];
  /** Responses besides 200, 400 and 500. */
  readonly responses?: object;
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

const ready = {
  ...status,
  schema: {
    ...status.schema,
    properties: {
      ...status.schema.properties,
      details: {
        type: "string",
        description: "What does not work beside this process: no worker is running",
      },
      sandbox: {
        type: "string",
        enum: ["process", "namespace"],
        description: "How functions' code is isolated, if this process runs it",
      },
      user: {
        type: "string",
        enum: ["root"],
        description: "Says that this process runs as root, if it does",
      },
      version: { type: "string", description: "Version of the server" },
    },
  },
};

const pageId = (name: string, description: string) => ({
  name,
  in: "path",
  required: true,
  description,
  schema: { type: "string", pattern: PAGE_ID },
});

const document = {
  operationId: "server.document",
  summary: "Read the OpenAPI document",
  type: "application/json",
  schema: {
    type: "object",
    required: ["openapi"],
    additionalProperties: true,
    properties: { openapi: { type: "string", description: "Version of OpenAPI" } },
  },
  example: { openapi: "3.1.1" },
  headers: ["ETag"],
  parameters: [
    {
      name: "If-None-Match",
      in: "header",
      required: false,
      description: "ETags of the responses that the client has",
      schema: { type: "string" },
    },
  ],
  responses: {
    304: {
      description: "The client has the current document",
      headers: referToHeaders(["x-request-id", "ETag"]),
    },
  },
};

const clientDocument = {
  operationId: "server.client",
  summary: "Read the server's OAuth client metadata, if it has a public https URL",
  type: "application/json",
  schema: {
    type: "object",
    required: ["client_id", "client_name", "redirect_uris"],
    additionalProperties: true,
    properties: {
      client_id: { type: "string", description: "The URL of this document" },
      client_name: { type: "string", description: "Name shown on consent pages" },
      redirect_uris: {
        type: "array",
        items: { type: "string" },
        description: "Redirect URIs",
      },
    },
  },
  example: renderClientDocument("https://parley.example.com"),
};

/** The paths that need no key. */
export function describeServerPaths(refusals: Refusals): Record<string, object> {
  const pictures: [string, Page][] = Object.entries(picturePaths).map(([whose, path]) => {
    const summary = `The default picture of ${whose}s`;
    return [path, { operationId: `server.picture.${whose}`, summary, type: "image/svg+xml" }];
  });
  const pages: Record<string, Page> = {
    ...Object.fromEntries(pictures),
    "/livez": { ...status, operationId: "server.live", summary: "Whether the process answers" },
    "/readyz": {
      ...ready,
      operationId: "server.ready",
      summary: "Whether the server can serve",
      responses: { 503: refusals.refer(503, ["service_unavailable"], { rated: false }) },
    },
    "/openapi.json": document,
    "/docs/api": {
      operationId: "server.reference",
      summary: "Read the OpenAPI document in a browser, and try its operations",
      type: "text/html",
    },
    "/w/{wId}/conversation/{cId}": {
      operationId: "server.conversation",
      summary: "Read in a browser how a conversation is read; the same for every conversation",
      type: "text/html",
      parameters: [
        pageId("wId", "Id of a workspace, which may not exist"),
        pageId("cId", "Id of a conversation, which may not exist"),
      ],
      responses: { 404: refusals.refer(404, ["not_found"], { rated: false }) },
    },
    [CLIENT_DOCUMENT_PATH]: {
      ...clientDocument,
      responses: { 404: refusals.refer(404, ["not_found"], { rated: false }) },
    },
    "/llms.txt": {
      operationId: "server.overview",
      summary: "Read an overview of the server for language models",
      type: "text/plain",
    },
  };
  const paths = Object.entries(pages).map(([path, page]) => [path, describePage(page, refusals)]);
  return Object.fromEntries(paths) as Record<string, object>;
}

function describePage(page: Page, refusals: Refusals): object {
  const { operationId, summary, type, schema = { type: "string" }, example } = page;
  const { parameters, headers = [], responses } = page;
  return {
    get: {
      operationId,
      summary,
      description: "Needs no key.",
      tags: ["server"],
      security: [],
      ...(parameters !== undefined && { parameters }),
      responses: {
        200: {
          description: "The page",
          headers: referToHeaders(["x-request-id", ...headers]),
          content: { [type]: { schema, ...(example !== undefined && { example }) } },
        },
        400: refusals.refer(400, ["invalid_request_error"], { rated: false }),
        500: refusals.refer(500, ["internal_server_error"], { rated: false }),
        ...responses,
      },
    },
  };
}
