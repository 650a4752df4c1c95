import * as z from "zod";
import { get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { Milliseconds, Reference } from "../parsing/text.ts";

/** A tool by its id. */
export const ToolParams = WorkspaceParams.extend({
  toolId: Reference.describe("Id of the tool").meta({ example: "msv_Rb5Ny8Kc3V" }),
});

/** Whether the caller's user has let a tool's server be called. */
export const ToolAuthorization = z.object({
  status: z
    .enum(["not_required", "required", "granted"])
    .describe(
      "not_required: the tool is called for nobody in particular; required: the user has to allow it; granted: the user has",
    )
    .meta({ example: "granted" }),
  scope: z
    .string()
    .nullable()
    .describe("What the user has granted, in the words of the authorization server")
    .meta({ example: "orders:read" }),
  grantedAt: Milliseconds.nullable().describe("When the user has granted it"),
});
export type ToolAuthorization = z.infer<typeof ToolAuthorization>;

/** Where a user goes to let a tool's server be called. */
export const StartedToolAuthorization = z.object({
  authorizationUrl: z
    .string()
    .describe("Page of the authorization server, for the user's browser: to be opened once")
    .meta({ example: "https://login.example.com/authorize?client_id=parley&state=..." }),
  expiresAt: Milliseconds.describe("Until when the user can come back from it"),
});
export type StartedToolAuthorization = z.infer<typeof StartedToolAuthorization>;

const authorization = {
  tags: ["tools"],
  path: "/api/v1/w/{wId}/tools/{toolId}/authorization",
  params: ToolParams,
  errors: ["tool_not_found"],
} as const;

/** Operations on what a user lets be called. */
export const toolAuthorizationEndpoints = {
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
} as const satisfies Record<string, Endpoint>;
