import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { ConversationParams, WorkspaceParams, Success } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { AdministeredTool, CreateTool, ToolIdentity, UpdateTool } from "../tools/tools.ts";
import {
  ChangeConversationTools,
  ListSpaceTools,
  SpaceTools,
  SpaceToolsParams,
} from "../tools/conversation-tools.ts";
import {
  StartedToolAuthorization,
  ToolAuthorization,
  ToolParams,
} from "../tools/tool-authorizations.ts";
import { exampleOf } from "../examples.ts";
import { Invocation, InvokedSandboxFunction } from "../invocations/invocations.ts";
import { CallTool } from "../tools/tool-calls.ts";
import {
  ConnectedTool,
  NamedTool,
  RegisterTool,
  UpdateToolConnection,
} from "../tools/tool-connections.ts";
import { administer, administered, get, post } from "./defaults.ts";

const ofTool = {
  subject: ["toolId"],
  errors: ["workspace_not_found", "tool_not_found", "version_conflict"],
} as const;

const authorization = {
  tags: ["tools"],
  path: "/api/v1/w/{wId}/tools/{toolId}/authorization",
  params: ToolParams,
  errors: ["tool_not_found"],
} as const;

/** Operations on the tools of skills, agents and conversations. */
export const toolEndpoints = {
  "tools.listOfSpace": {
    ...get,
    tags: ["tools"],
    scope: "agents:read",
    summary: "List the tools of a space",
    path: "/api/v1/w/{wId}/spaces/{spaceId}/mcp_server_views",
    params: SpaceToolsParams,
    query: ListSpaceTools,
    output: SpaceTools,
    errors: ["space_not_found"],
  },
  "conversations.changeTools": {
    ...post,
    tags: ["tools"],
    scope: "conversations:write",
    storesLittle: true,
    summary: "Add a tool to a conversation, or take it away",
    path: "/api/v1/w/{wId}/assistant/conversations/{cId}/tools",
    params: ConversationParams,
    body: ChangeConversationTools,
    output: Success,
    errors: ["conversation_not_found", "tool_not_found"],
  },
  "toolAuthorizations.get": {
    ...get,
    ...authorization,
    scope: "conversations:read",
    summary: "Read whether the user has let a tool be called",
    output: z.object({ authorization: ToolAuthorization.describe("What the user has allowed") }),
  },
  "toolAuthorizations.start": {
    ...post,
    ...authorization,
    scope: "conversations:write",
    storesLittle: true,
    summary: "Begin to let a tool be called for the user: where the user's browser goes",
    output: z.object({
      authorization: StartedToolAuthorization.describe("Where the user allows it"),
    }),
  },
  "toolAuthorizations.revoke": {
    ...get,
    ...authorization,
    method: "DELETE",
    scope: "conversations:write",
    summary: "Take back that a tool may be called for the user",
    output: Success,
    subject: ["toolId"],
  },
  "tools.invoke": {
    ...post,
    tags: ["tools"],
    role: "builder",
    scope: null,
    summary: "Call a tool of a remote server, to try it",
    path: "/api/v1/w/{wId}/tools/{toolId}/calls",
    params: ToolParams,
    body: CallTool,
    output: InvokedSandboxFunction.meta({
      example: {
        invocation: { ...exampleOf(Invocation), status: "succeeded" },
        outcome: {
          status: "succeeded",
          result: { content: [{ type: "text", text: "3 pairs" }], isError: false },
        },
      },
    }),
    status: 201,
    rateLimit: "invoke",
    subject: ["toolId"],
    errors: ["tool_not_found", "tool_unreachable"],
  },
  "tools.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/tools`,
      input: WorkspaceParams.extend(pageByNumber("Tools")),
    }),
    summary: "List the tools of the workspace",
    output: z.object({
      tools: z.array(AdministeredTool).describe("Tools, the oldest first"),
      ...pageEnd,
    }),
  },
  "tools.create": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/tools`,
      input: CreateTool,
    }),
    summary: "Add a tool: the view of an MCP server",
    subject: [],
    output: AdministeredTool,
    errors: ["workspace_not_found", "space_not_found"],
  },
  "tools.register": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/tools/remote`,
      input: RegisterTool,
    }),
    summary: "Register a remote MCP server as a tool: it is asked for its tools at once",
    subject: [],
    output: ConnectedTool,
    errors: ["workspace_not_found", "space_not_found", "tool_unreachable"],
  },
  "tools.getConnection": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/tools/{toolId}/connection`,
      input: NamedTool,
    }),
    summary: "Read a remote tool with its connection",
    output: ConnectedTool,
    errors: ["workspace_not_found", "tool_not_found"],
  },
  "tools.updateConnection": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: `${administered}/tools/{toolId}/connection`,
      input: UpdateToolConnection,
    }),
    ...ofTool,
    summary: "Change how the tools of a remote server are called",
    output: ConnectedTool,
  },
  "tools.refresh": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/tools/{toolId}/refresh`,
      input: NamedTool,
    }),
    ...ofTool,
    storesLittle: true,
    summary: "Ask a remote server for its tools again",
    output: ConnectedTool,
    errors: ["workspace_not_found", "tool_not_found", "tool_unreachable"],
  },
  "tools.update": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: `${administered}/tools/{toolId}`,
      input: UpdateTool,
    }),
    ...ofTool,
    summary: "Change a tool",
    output: AdministeredTool,
  },
  "tools.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${administered}/tools/{toolId}`,
      input: ToolIdentity,
    }),
    ...ofTool,
    summary: "Remove a tool, from the skills that have it too",
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
