import { type Endpoint, endpoints, ErrorBody, type HttpEndpoint } from "@parley/schema";
import type * as z from "zod";
import { createRefusals } from "./errors.ts";
import { describeModels, type JsonSchema } from "./models.ts";
import { describeOperations, type Parts } from "./operations.ts";
import { describeServerPaths } from "./server-paths.ts";

const INTERFACE_VERSION = "1.0.2";

const description = `Conversations with agents, the skills they work with, and sandbox functions.

The operations tagged \`specified\` are the interface itself; all others are Parley's extensions.
Responses may have further members one day: a client ignores members that it does not know.

Every error has the same form, whose \`type\` is stable. An unknown path is answered with 404 \`not_found\`, a known one
with a wrong method with 405 \`method_not_supported_error\` and the header \`Allow\`. Every GET that is
not a stream answers HEAD too.`;

const tags = [
  { name: "specified", description: "The three operations of the interface" },
  { name: "conversations", description: "Conversations and their messages" },
  { name: "files", description: "Files that conversations refer to" },
  { name: "skills", description: "Skills that agents work with" },
  { name: "sandbox functions", description: "Functions and their invocations" },
  { name: "spaces", description: "Spaces of the workspace" },
  { name: "agents", description: "Agents that can be mentioned" },
  { name: "server", description: "The server itself; these need no key" },
];

const string = (about: string) => ({ description: about, schema: { type: "string" } });

const headers = {
  "x-request-id": string("Id of the request in the server's log; a request may bring its own"),
  RateLimit: string('What is left of each limit, as in `"create";r=99;t=60`'),
  "RateLimit-Policy": string('The limits, as in `"create";q=100;w=60`'),
  "Retry-After": { description: "Seconds to wait", schema: { type: "integer", minimum: 0 } },
  "Idempotent-Replayed": string("`true` where an earlier request with the key created it"),
  ETag: string("Validator of the response, for `If-None-Match`"),
  Location: string("Path and query of the stream"),
  "WWW-Authenticate": string("`Bearer`"),
  "Content-Range": string("Which bytes of how many"),
};

/** The OpenAPI document of the public interface, generated from the endpoint table. */
export function createDocument(pathPrefix: string): object {
  const all = Object.entries<Endpoint>(endpoints).filter(
    (entry): entry is [string, HttpEndpoint] => entry[1].kind !== "rpc",
  );
  const input = describeModels(partsOf(all, ["params", "query", "body"]), "input");
  const answered = { ...partsOf(all, ["output", "event"]), ErrorBody };
  const output = describeModels(answered, "output");
  const refusals = createRefusals(output.shapeOf("ErrorBody"));
  const parts: Parts = { input, output, refusals };
  const paths: Record<string, Record<string, object>> = {};
  for (const [name, endpoint] of all) {
    for (const [path, operation] of describeOperations(name, endpoint, parts)) {
      (paths[path] ??= {})[endpoint.method.toLowerCase()] = operation;
    }
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Parley",
      version: INTERFACE_VERSION,
      description,
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: pathPrefix === "" ? "/" : pathPrefix }],
    security: [{ apiKey: [] }],
    tags,
    paths: { ...paths, ...describeServerPaths(refusals) },
    components: {
      securitySchemes: {
        apiKey: {
          type: "http",
          scheme: "bearer",
          description:
            "An API key of the workspace in the path, which begins `sk-`, or a user's token, `ut-`",
        },
      },
      headers,
      responses: refusals.components,
      schemas: mergeSchemas(input.components, output.components),
    },
  };
}

function partsOf(
  all: readonly [string, HttpEndpoint][],
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

/** Joins the models of requests and responses. Throws where one name has two meanings. */
function mergeSchemas(
  input: Readonly<Record<string, JsonSchema>>,
  output: Readonly<Record<string, JsonSchema>>,
): Record<string, JsonSchema> {
  for (const [name, schema] of Object.entries(output)) {
    const other = input[name];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(schema)) {
      throw new Error(`${name} is sent in another form than it is answered`);
    }
  }
  return Object.fromEntries(
    Object.entries({ ...input, ...output }).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  );
}
