import * as z from "zod";
import { Milliseconds } from "./text.ts";

/** An MCP server as a tool carries it. */
export const ToolServer = z.object({
  sId: z.string().describe("Id of the server"),
  name: z.string().describe("Name of the server"),
  version: z.string().describe("Version of the server"),
  description: z.string().describe("What the server offers"),
  icon: z.string().describe("Name of an icon"),
  authorization: z
    .object({
      provider: z.string().describe("OAuth provider"),
      supported_use_cases: z.array(z.string()).describe("Supported OAuth use cases"),
      scope: z.string().describe("OAuth scope"),
    })
    .describe("How the server is authorised"),
  tools: z
    .array(
      z.object({
        name: z.string().describe("Name of the tool"),
        description: z.string().describe("What the tool does"),
        inputSchema: z.record(z.string(), z.unknown()).describe("JSON Schema of the input"),
      }),
    )
    .describe("Tools of the server"),
  availability: z
    .enum(["manual", "auto", "auto_hidden_builder"])
    .describe("How it is made available"),
  allowMultipleInstances: z.boolean().describe("Whether it can be added more than once"),
  documentationUrl: z.string().describe("Address of the documentation"),
});
export type ToolServer = z.infer<typeof ToolServer>;

/** A tool of a skill: the view of an MCP server. */
export const Tool = z.object({
  id: z.int().describe("Number of the tool"),
  sId: z.string().describe("Id of the tool"),
  name: z.string().describe("Name of the tool"),
  description: z.string().describe("What the tool does"),
  createdAt: Milliseconds.describe("When the tool was made"),
  updatedAt: Milliseconds.describe("When the tool last changed"),
  spaceId: z.string().describe("Space of the tool"),
  serverType: z.enum(["remote", "internal"]).describe("Where the server runs"),
  server: ToolServer.describe("The MCP server"),
  oAuthUseCase: z
    .enum(["personal_actions", "platform_actions"])
    .describe("Whose credentials the tool uses"),
  editedByUser: z
    .object({
      editedAt: Milliseconds.describe("When it was edited"),
      fullName: z.string().describe("Name of the editor"),
      imageUrl: z.string().describe("Picture of the editor"),
    })
    .describe("Who edited the tool last"),
  isRestrictedToSkills: z.boolean().describe("Whether only skills can use the tool"),
});
export type Tool = z.infer<typeof Tool>;
