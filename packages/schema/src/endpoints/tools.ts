import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams, Success } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { AdministeredTool, CreateTool, ToolIdentity, UpdateTool } from "../skills/tools.ts";
import { administer, administered } from "./defaults.ts";

const ofTool = {
  subject: ["toolId"],
  errors: ["workspace_not_found", "tool_not_found", "version_conflict"],
} as const;

/** Operations on the tools of skills. */
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
