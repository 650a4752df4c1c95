import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import {
  ConnectedTool,
  NamedTool,
  RegisterTool,
  UpdateToolConnection,
} from "./tool-connections.ts";
import { AdministeredTool, CreateTool, ToolIdentity, UpdateTool } from "./tools.ts";

const ofTool = {
  subject: ["toolId"],
  errors: ["workspace_not_found", "tool_not_found", "version_conflict"],
} as const;

/** Operations on the tools of a workspace. */
export const toolEndpoints = {
  "tools.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/tools`,
      input: WorkspaceParams.extend(pageByNumber("Tools")),
    }),
    summary: "List the tools of the workspace",
    output: z.object({
      tools: z.array(AdministeredTool).describe("Tools, oldest first"),
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
    summary: "Register a remote MCP server as a tool and list its tools",
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
    summary: "Update how a remote server's tools are called",
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
    summary: "Refresh the list of tools that a remote server offers",
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
    summary: "Remove a tool, also from the skills that have it",
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
