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
      "not_required: the tool needs no authorization by users; required: the user has to authorize it; granted: the user has authorized it",
    )
    .meta({ example: "granted" }),
  scope: z
    .string()
    .nullable()
    .describe("Granted scope, in the words of the authorization server")
    .meta({ example: "orders:read" }),
  grantedAt: Milliseconds.nullable().describe("When the user authorized it"),
});
export type ToolAuthorization = z.infer<typeof ToolAuthorization>;

/** Where a user goes to let a tool's server be called. */
export const StartedToolAuthorization = z.object({
  authorizationUrl: z
    .string()
    .describe("Page of the authorization server for the user's browser; it can be opened once")
    .meta({ example: "https://login.example.com/authorize?client_id=parley&state=..." }),
  expiresAt: Milliseconds.describe("When the page's link expires"),
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
    summary: "Read whether the user has authorized a tool",
    output: z.object({ authorization: ToolAuthorization.describe("The user's authorization") }),
  },
  "toolAuthorizations.start": {
    ...post,
    ...authorization,
    scope: "conversations:write",
    storesLittle: true,
    summary:
      "Start the authorization of a tool for the user; returns the page to open in the browser",
    output: z.object({
      authorization: StartedToolAuthorization.describe("Page where the user authorizes it"),
    }),
  },
  "toolAuthorizations.revoke": {
    ...get,
    ...authorization,
    method: "DELETE",
    scope: "conversations:write",
    summary: "Revoke the user's authorization of a tool",
    output: Success,
    subject: ["toolId"],
  },
} as const satisfies Record<string, Endpoint>;
