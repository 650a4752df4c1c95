import { doors, type Endpoint, endpoints, ErrorBody, OpenAiErrorBody } from "@parley/schema";
import type * as z from "zod";
import { createRefusals } from "./errors.ts";
import { describeModels, type JsonSchema } from "./models.ts";
import { describeOperations, type Parts } from "./operations.ts";
import { describeTriggerPaths } from "./trigger-paths.ts";
import { describeWebhooks, webhookParts } from "./webhooks.ts";
import { describeServerPaths } from "./server-paths.ts";

const INTERFACE_VERSION = "1.0.2";

const description = `Conversations with agents, the skills they work with, and sandbox functions.

The operations tagged \`specified\` are the interface itself; all others are Parley's extensions.
Responses may get further fields: clients must ignore fields that they do not know.

Every error has the same shape and a stable \`type\`. An unknown path gets 404 \`not_found\`, a known path
with a wrong method 405 \`method_not_supported_error\` and the header \`Allow\`. Every GET except
streams also answers HEAD.`;

const tags = [
  { name: "specified", description: "The three operations of the interface" },
  { name: "conversations", description: "Conversations and their messages" },
  { name: "files", description: "Files that conversations refer to" },
  { name: "skills", description: "Skills that agents work with" },
  { name: "sandbox functions", description: "Functions and their invocations" },
  { name: "knowledge", description: "Data sources, their documents, and the search of both" },
  { name: "spaces", description: "Spaces of the workspace" },
  { name: "tools", description: "Tools of remote MCP servers, and their users' authorizations" },
  { name: "client tools", description: "MCP servers that run in users' clients" },
  { name: "agents", description: "Agents that can be mentioned" },
  { name: "open responses", description: "Agents as models of Open Responses" },
  { name: "chat completions", description: "Agents as models of chat completions" },
  { name: "ai-sdk", description: "Chats of the AI SDK, with its own transport" },
  { name: "ag-ui", description: "Agents as those of AG-UI" },
  { name: "durable streams", description: "Logs as streams of the Durable Streams protocol" },
  { name: "workspace", description: "The workspace of the key, its members and its use" },
  {
    name: "administration",
    description:
      "Workspaces and what is in them. Fields that an operation does not know are refused, and there are " +
      "no Idempotency-Keys",
  },
  { name: "triggers", description: "What starts agents, and the URLs that events are sent to" },
  { name: "webhooks", description: "What Parley sends to the webhooks of a workspace" },
  { name: "session", description: "Sessions of the console, instead of a key" },
  { name: "server", description: "The server itself; these need no key" },
];

const string = (about: string) => ({ description: about, schema: { type: "string" } });

const headers = {
  "x-request-id": string("Id of the request in the server's log; a request may bring its own"),
  RateLimit: string('What is left of each limit, as in `"create";r=99;t=60`'),
  "RateLimit-Policy": string('The limits, as in `"create";q=100;w=60`'),
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 0 } },
  "Idempotent-Replayed": string("`true` if an earlier request with the key created it"),
  "Stream-Next-Offset": string("Offset of what follows"),
  "Stream-Up-To-Date": string("`true` if the log had no more"),
  "Stream-Closed": string("`true` if the log gets no more"),
  "Stream-Cursor": string("To be sent as `cursor` with the next live read"),
  ETag: string("Validator of the response, for `If-None-Match`"),
  Location: string("Path and query of the stream"),
  "WWW-Authenticate": string("`Bearer`"),
  "Content-Range": string("Which bytes of how many"),
};

/** The OpenAPI document, generated from the endpoint table. */
export function createDocument(pathPrefix: string): object {
  const inTwoForms = new Set<string>();
  for (;;) {
    const { document, differing } = describeServer(pathPrefix, inTwoForms);
    if (differing.length === 0) return document;
    // What refers to a renamed model differs too.
    for (const name of differing) inTwoForms.add(name);
  }
}

/** A document, and the models that requests and responses have in two forms under one name. */
function describeServer(
  pathPrefix: string,
  inTwoForms: ReadonlySet<string>,
): { document: object; differing: readonly string[] } {
  const all = Object.entries<Endpoint>({ ...endpoints, ...doors });
  const sent = partsOf(all, ["params", "query", "body"]);
  const input = describeModels(sent, { io: "input", inTwoForms });
  const answered = {
    ...partsOf(all, ["output", "event"]),
    ...webhookParts,
    ErrorBody,
    OpenAiErrorBody,
  };
  const output = describeModels(answered, { io: "output", inTwoForms });
  const refusals = createRefusals({
    parley: output.shapeOf("ErrorBody"),
    openai: output.shapeOf("OpenAiErrorBody"),
  });
  const parts: Parts = { input, output, refusals };
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, endpoint] of all) {
    for (const [path, operation] of describeOperations(name, endpoint, parts)) {
      (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation;
    }
  }
  const schemas = { ...input.components, ...output.components };
  const differing = Object.keys(schemas).filter((name) => {
    const [one, other] = [input.components[name], output.components[name]];
    return one && other && JSON.stringify(one) !== JSON.stringify(other);
  });
  const document = {
    openapi: "3.1.1",
    info: {
      title: "Parley",
      version: INTERFACE_VERSION,
      description,
      contact: { name: "The Parley project" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: pathPrefix === "" ? "/" : pathPrefix }],
    security: [{ apiKey: [] }],
    tags,
    paths: { ...paths, ...describeServerPaths(refusals), ...describeTriggerPaths(refusals) },
    webhooks: describeWebhooks(output),
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key of the workspace in the path, which begins `sk-`, or a user's token, `ut-`",
        },
        administrationKey: {
          type: "http",
          scheme: "bearer",
          description:
            "A key of the workspace with the role that the operation asks for, or an operator key, which is of " +
            "no workspace",
        },
      },
      headers,
      responses: refusals.components,
      schemas: sortByName(schemas),
    },
  };
  return { document, differing };
}

function partsOf(
  all: readonly [string, Endpoint][],
  parts: readonly string[],
): Record<string, z.ZodType> {
  const found = all.flatMap(([name, endpoint]) =>
    parts.flatMap((part) => {
      const model = (endpoint as unknown as Record<string, z.ZodType | undefined>)[part];
      return model === undefined ? [] : [[`${name}.${part}`, model] as const];
    }),
  );
  return Object.fromEntries(found);
}

function sortByName(schemas: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  return Object.fromEntries(
    Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
