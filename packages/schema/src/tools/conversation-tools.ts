import * as z from "zod";
import { get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { ConversationParams, Success, WorkspaceParams } from "../params.ts";
import { flagFromQuery, optional, Reference } from "../parsing/text.ts";
import { Tool } from "./tools.ts";

/** Body of a change of the tools of one conversation. */
export const ChangeConversationTools = z.object({
  action: z.enum(["add", "delete"]).describe("What to do with the tool"),
  mcp_server_view_id: Reference.describe("Id of the tool").meta({ example: "msv_Rb5Ny8Kc3V" }),
});
export type ChangeConversationTools = z.output<typeof ChangeConversationTools> &
  Pick<z.output<typeof ConversationParams>, "cId">;

export const SpaceToolsParams = WorkspaceParams.extend({
  spaceId: Reference.describe("Id of the space").meta({ example: "vlt_Gw4Xs7Dq2M" }),
});

/** Query of the tools of a space. */
export const ListSpaceTools = z.object({
  includeAuto: optional(flagFromQuery).describe(
    "Whether to also list tools that are available automatically",
  ),
});
export type ListSpaceTools = z.output<typeof ListSpaceTools> &
  Pick<z.output<typeof SpaceToolsParams>, "spaceId">;

/** A tool as it is listed for those who choose one: existing clients need two members more. */
const SpaceTool = Tool.extend({
  editedByUser: Tool.shape.editedByUser
    .extend({
      email: z.null().describe("Always null"),
      userId: z.null().describe("Always null"),
    })
    .describe("Last editor of the tool"),
});

export const SpaceTools = z.object({
  success: z.literal(true).describe("Always true"),
  serverViews: z.array(SpaceTool).describe("The tools, the oldest first; at most 1,000"),
});
export type SpaceTools = z.infer<typeof SpaceTools>;

/** Operations on the tools that conversations may have. */
export const conversationToolEndpoints = {
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
    summary: "Add a tool to a conversation, or remove it",
    path: "/api/v1/w/{wId}/assistant/conversations/{cId}/tools",
    params: ConversationParams,
    body: ChangeConversationTools,
    output: Success,
    errors: ["conversation_not_found", "tool_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
