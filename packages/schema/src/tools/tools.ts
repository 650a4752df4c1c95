import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { fromQuery, Milliseconds, optional, Reference, text, UrlText } from "../parsing/text.ts";

/** Size of a server's description with its tools and their schemas, in bytes. */
const MAX_SERVER_BYTES = 256 * 1024;

/** The MCP server of a tool. */
export const ToolServer = z.object({
  sId: z.string().describe("Id of the server").meta({ example: "orders-server" }),
  name: z.string().describe("Name of the server").meta({ example: "orders" }),
  version: z.string().describe("Version of the server").meta({ example: "1.0.0" }),
  description: z
    .string()
    .describe("Description of the server")
    .meta({ example: "Orders of the shop" }),
  icon: z.string().describe("Name of an icon").meta({ example: "ActionCommandIcon" }),
  authorization: z
    .object({
      provider: z.string().describe("OAuth provider").meta({ example: "github" }),
      supported_use_cases: z.array(z.string()).describe("Supported OAuth use cases"),
      scope: z.string().describe("OAuth scope").meta({ example: "orders:read" }),
    })
    .describe("How the server is authorised"),
  tools: z
    .array(
      z.object({
        name: z.string().describe("Name of the tool").meta({ example: "orders" }),
        description: z
          .string()
          .describe("Description of the tool")
          .meta({ example: "Reads orders" }),
        inputSchema: z.record(z.string(), z.unknown()).describe("JSON Schema of the input"),
      }),
    )
    .describe("Tools of the server"),
  availability: z
    .enum(["manual", "auto", "auto_hidden_builder"])
    .describe("How it becomes available"),
  allowMultipleInstances: z.boolean().describe("Whether it can be added more than once"),
  documentationUrl: z
    .string()
    .describe("Absolute URL of the documentation")
    .meta({ example: "https://parley.test/docs" }),
});
export type ToolServer = z.infer<typeof ToolServer>;

/** A tool of a skill: the view of an MCP server. */
export const Tool = z.object({
  id: z.int().describe("Number of the tool").meta({ example: 1 }),
  sId: z.string().describe("Id of the tool").meta({ example: "msv_Rb5Ny8Kc3V" }),
  name: z.string().describe("Name of the tool").meta({ example: "orders" }),
  description: z.string().describe("Description of the tool").meta({ example: "Reads orders" }),
  createdAt: Milliseconds.describe("When the tool was created"),
  updatedAt: Milliseconds.describe("When the tool last changed"),
  spaceId: z.string().describe("Space of the tool").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  serverType: z.enum(["remote", "internal"]).describe("Where the server runs"),
  server: ToolServer.describe("The MCP server"),
  oAuthUseCase: z
    .enum(["personal_actions", "platform_actions"])
    .describe("Whose credentials the tool uses"),
  editedByUser: z
    .object({
      editedAt: Milliseconds.describe("When it was edited"),
      fullName: z.string().describe("Name of the editor").meta({ example: "Ada Lovelace" }),
      imageUrl: z
        .string()
        .describe("Absolute URL of the editor's picture")
        .meta({ example: "https://parley.test/pictures/user-1.svg" }),
    })
    .describe("Last editor of the tool"),
  isRestrictedToSkills: z.boolean().describe("Whether only skills can use the tool"),
});
export type Tool = z.infer<typeof Tool>;

// MCP requires an object as input.
const inputSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => schema["type"] === "object", { path: ["type"], error: 'must be "object"' })
  .describe("JSON Schema of the input");
const serverTool = ToolServer.shape.tools.element.extend({ inputSchema });
const serverTools = z.array(serverTool).max(256).describe("Tools of the server");

const server = ToolServer.extend({
  tools: serverTools,
  documentationUrl: UrlText.describe("URL of the documentation; empty for Parley's").meta({
    example: "",
  }),
}).refine(
  (value) => JSON.stringify(value).length <= MAX_SERVER_BYTES,
  `must be at most ${MAX_SERVER_BYTES} characters of JSON`,
);

export const CreateTool = WorkspaceParams.extend({
  spaceId: Reference.describe("Space of the tool").meta({ example: "vlt_Gw4Xs7Dq2M" }),
  name: text(255, 1).describe("Name of the tool").meta({ example: "orders" }),
  description: text(4096).describe("Description of the tool").meta({ example: "Reads orders" }),
  serverType: Tool.shape.serverType,
  server: server.describe("The MCP server"),
  oAuthUseCase: optional(Tool.shape.oAuthUseCase).describe(
    "Whose credentials the tool uses; platform_actions by default",
  ),
  isRestrictedToSkills: optional(z.boolean()).describe("Whether only skills can use the tool"),
});
export type CreateTool = z.output<typeof CreateTool>;

export const AdministeredTool = z.object({
  tool: Tool.describe("The tool, as skills show it"),
  version: z.int().describe("Version of the tool, required for changes").meta({ example: 1 }),
});
export type AdministeredTool = z.output<typeof AdministeredTool>;

export const ToolIdentity = WorkspaceParams.extend({
  toolId: Reference.describe("Id of the tool").meta({ example: "msv_Rb5Ny8Kc3V" }),
  version: fromQuery(z.int().min(0))
    .describe("Version that the change is based on")
    .meta({ example: 3 }),
});
export type ToolIdentity = z.output<typeof ToolIdentity>;

export const UpdateTool = ToolIdentity.extend({
  name: optional(text(255, 1)).describe("New name"),
  description: optional(text(4096))
    .describe("Description of the tool")
    .meta({ example: "Reads orders" }),
  server: optional(server).describe("The MCP server"),
  oAuthUseCase: optional(Tool.shape.oAuthUseCase).describe("Whose credentials the tool uses"),
  isRestrictedToSkills: optional(z.boolean()).describe("Whether only skills can use the tool"),
});
export type UpdateTool = z.output<typeof UpdateTool>;
