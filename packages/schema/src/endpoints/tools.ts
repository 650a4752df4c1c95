import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { OfWorkspace, Success } from "../params.ts";
import { AdministeredTool, CreateTool, ToolIdentity, UpdateTool } from "../skills/tools.ts";
import { builderMutation, builderQuery } from "./defaults.ts";

const ofTool = {
  ...builderMutation,
  subject: ["toolId"],
  errors: ["workspace_not_found", "tool_not_found", "version_conflict"],
} as const;

/** Operations on the tools of skills. */
export const toolEndpoints = {
  "tools.list": {
    ...builderQuery,
    summary: "List the tools of the workspace",
    input: OfWorkspace,
    output: z.object({ tools: z.array(AdministeredTool).describe("Tools, by name") }),
  },
  "tools.create": {
    ...builderMutation,
    summary: "Add a tool: the view of an MCP server",
    input: CreateTool,
    subject: [],
    output: AdministeredTool,
    errors: ["workspace_not_found", "space_not_found"],
  },
  "tools.update": {
    ...ofTool,
    summary: "Change a tool",
    input: UpdateTool,
    output: AdministeredTool,
  },
  "tools.remove": {
    ...ofTool,
    summary: "Remove a tool, from the skills that have it too",
    input: ToolIdentity,
    output: Success,
  },
} as const satisfies Record<string, Endpoint>;
