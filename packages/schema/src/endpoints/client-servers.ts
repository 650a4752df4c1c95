import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import {
  AnswerAsClientServer,
  AnsweredAsClientServer,
  ClientServerHeartbeat,
  ClientServerMessage,
  NamedClientServer,
  RegisterClientServer,
  RegisteredClientServer,
} from "../tools/client-servers.ts";
import { post, stream } from "./defaults.ts";

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
    summary: "Say that a client's server is still there",
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
    summary: "Give a message of a client's server: the response to a request",
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
