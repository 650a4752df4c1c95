import * as z from "zod";
import { post, stream } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { AnyJson } from "../parsing/json.ts";
import { Reference, text } from "../parsing/text.ts";
import { warnings } from "../parsing/warnings.ts";

const ServerId = Reference.describe("Id of the server, as its registration gave it").meta({
  example: "cms_Wd7Kp2Xn4L",
});
const expiresAt = z.iso
  .datetime()
  .describe("When the server expires unless its client sends a heartbeat: after 5 minutes")
  .meta({ example: "2026-01-15T09:35:00.000Z" });

/** A server in a client, by its id. */
export const NamedClientServer = z.object({ serverId: ServerId });
export type NamedClientServer = z.infer<typeof NamedClientServer>;

/** What registers a server in a client. */
export const RegisterClientServer = z.object({
  serverName: text(255, 1)
    .describe("Name of the server: names of its tools begin with it")
    .meta({ example: "My editor" }),
});

/** A server in a client. */
export const RegisteredClientServer = z.object({
  success: z.literal(true).describe("Always true"),
  serverId: ServerId,
  expiresAt,
});
export type RegisteredClientServer = z.infer<typeof RegisteredClientServer>;

/** The answer to a heartbeat. */
export const ClientServerHeartbeat = z.object({
  success: z.literal(true).describe("Always true").meta({ example: true }),
  expiresAt,
});
export type ClientServerHeartbeat = z.infer<typeof ClientServerHeartbeat>;

/** A JSON-RPC message of a client's server. */
export const AnswerAsClientServer = NamedClientServer.extend({
  result: AnyJson.describe(
    "A JSON-RPC message of the server: a response to a request, or a notification",
  ).meta({
    example: {
      jsonrpc: "2.0",
      id: "sfi_Tz6Lc1Vq9B",
      result: { content: [{ type: "text", text: "42" }] },
    },
  }),
});
export type AnswerAsClientServer = z.infer<typeof AnswerAsClientServer>;

/** What a client's server is answered: `warnings` name the tools of a list that are left out. */
export const AnsweredAsClientServer = Success.extend({ warnings });
export type AnsweredAsClientServer = z.infer<typeof AnsweredAsClientServer>;

/** A JSON-RPC message to a client's server: a request if it has an id, or a notification. */
export const ClientServerMessage = z.object({
  jsonrpc: z.literal("2.0").describe("Version of JSON-RPC").meta({ example: "2.0" }),
  id: z.string().optional().describe("Id of a request").meta({ example: "sfi_Tz6Lc1Vq9B" }),
  method: z.string().describe("Method of MCP").meta({ example: "tools/call" }),
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("Its parameters")
    .meta({ example: { name: "add", arguments: { a: 40, b: 2 } } }),
});
export type ClientServerMessage = z.infer<typeof ClientServerMessage>;

/** Events of the log of a client's server; its client gets the messages alone. */
export type ClientServerEvent =
  | { readonly type: "client_server_message"; readonly message: ClientServerMessage }
  /** A request was answered, or is not waited for any more. */
  | { readonly type: "client_server_settled"; readonly id: string }
  /** The server says how far a call is. */
  | {
      readonly type: "client_server_progress";
      readonly id: string;
      readonly progress: number;
      readonly total?: number | undefined;
      readonly message?: string | undefined;
    }
  /** It has said what its tools are, or that they cannot be used. */
  | { readonly type: "client_server_listed" };

const root = "/api/v1/w/{wId}/mcp";

const ofServer = {
  tags: ["client tools"],
  // A token that only reads must not answer for its user.
  scope: "conversations:write",
  params: WorkspaceParams,
  errors: ["mcp_server_not_found"],
} as const;

/** Operations of MCP servers that run in clients of users. */
export const clientServerEndpoints = {
  "clientServers.register": {
    ...post,
    ...ofServer,
    summary: "Register an MCP server that runs in the caller's own client",
    path: `${root}/register`,
    body: RegisterClientServer,
    output: RegisteredClientServer,
    // Asked again with its key, once the server is gone.
    errors: ["mcp_server_not_found"],
  },
  "clientServers.heartbeat": {
    ...post,
    ...ofServer,
    storesLittle: true,
    summary: "Send a heartbeat for a client's server",
    path: `${root}/heartbeat`,
    body: NamedClientServer,
    output: ClientServerHeartbeat,
    rateLimit: "read",
  },
  "clientServers.deregister": {
    ...post,
    ...ofServer,
    storesLittle: true,
    summary: "Remove a client's server, before it expires",
    path: `${root}/deregister`,
    body: NamedClientServer,
    output: Success,
    rateLimit: "read",
  },
  "clientServers.answer": {
    ...post,
    ...ofServer,
    storesLittle: true,
    summary: "Send a message from a client's server: the response to a request",
    path: `${root}/results`,
    body: AnswerAsClientServer,
    output: AnsweredAsClientServer,
    rateLimit: "invoke",
  },
  "clientServers.events": {
    ...stream,
    ...ofServer,
    summary: "Follow the requests to a client's server",
    path: `${root}/requests`,
    query: NamedClientServer,
    event: ClientServerMessage,
    enveloped: true,
  },
} as const satisfies Record<string, Endpoint>;
