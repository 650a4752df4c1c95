import * as z from "zod";
import { ApiKeyList, CreateApiKey, CreatedApiKey, ListApiKeys, RevokeApiKey } from "./api-keys.ts";
import { CreateConversation, CreatedConversation } from "./conversations.ts";
import type { Endpoint } from "./endpoint.ts";
import { InvocationEvent } from "./events.ts";
import {
  InvokedSandboxFunction,
  InvokeSandboxFunction,
  SandboxFunctionParams,
} from "./sandbox-functions.ts";
import { ListSkills, SkillList } from "./skills.ts";
import { Reference } from "./text.ts";
import { CreatedWorkspace, CreateWorkspace } from "./workspaces.ts";

const WorkspaceParams = z.object({ wId: Reference.describe("Id of the workspace") });

const operator = {
  kind: "rpc",
  role: "operator",
  rateLimit: "operate",
  tags: ["operators"],
} as const;

/** Every operation of the server; REST routes, procedures and documents are made from it. */
export const endpoints = {
  "conversations.create": {
    kind: "json",
    summary: "Create a conversation",
    method: "POST",
    path: "/api/v1/w/{wId}/assistant/conversations",
    params: WorkspaceParams,
    body: CreateConversation,
    output: CreatedConversation,
    status: 200,
    role: "user",
    rateLimit: "create",
    errors: ["model_disabled", "space_not_found", "file_not_found", "data_source_view_not_found"],
    tags: ["conversations"],
    specified: true,
  },
  "skills.list": {
    kind: "json",
    summary: "List the skills of the workspace",
    method: "GET",
    path: "/api/v1/w/{wId}/skills",
    params: WorkspaceParams,
    query: ListSkills,
    output: SkillList,
    status: 200,
    role: "user",
    rateLimit: "read",
    errors: ["app_auth_error"],
    tags: ["skills"],
    specified: true,
  },
  "sandboxFunctions.invoke": {
    kind: "json",
    summary: "Invoke a sandbox function",
    method: "POST",
    path: "/api/w/{wId}/sandbox-functions/{functionId}/invocations",
    params: SandboxFunctionParams,
    body: InvokeSandboxFunction,
    output: InvokedSandboxFunction,
    status: 201,
    role: "user",
    rateLimit: "invoke",
    errors: ["sandbox_function_not_found"],
    tags: ["sandbox functions"],
    specified: false,
  },
  "sandboxFunctions.events": {
    kind: "stream",
    summary: "Follow an invocation of a sandbox function",
    method: "GET",
    path: "/api/w/{wId}/sandbox-functions/{functionId}/invocations/{invocationId}/events",
    params: SandboxFunctionParams.extend({
      invocationId: Reference.describe("Id of the invocation"),
    }),
    query: z.object({
      include: z
        .unknown()
        .optional()
        .transform((value) => String(value ?? "").split(","))
        .describe("Further event types, separated by commas: log, progress"),
    }),
    event: InvocationEvent,
    status: 200,
    role: "user",
    rateLimit: "stream",
    errors: ["sandbox_function_not_found", "sandbox_function_invocation_not_found"],
    tags: ["sandbox functions"],
    specified: true,
  },
  "workspaces.create": {
    ...operator,
    summary: "Create a workspace and its first admin key",
    operation: "mutation",
    input: CreateWorkspace,
    output: CreatedWorkspace,
    errors: [],
  },
  "apiKeys.create": {
    ...operator,
    summary: "Create a key of a workspace",
    operation: "mutation",
    input: CreateApiKey,
    output: CreatedApiKey,
    errors: ["workspace_not_found"],
  },
  "apiKeys.revoke": {
    ...operator,
    summary: "Revoke a key of a workspace",
    operation: "mutation",
    input: RevokeApiKey,
    output: z.object({ success: z.literal(true).describe("Always true") }),
    errors: ["workspace_not_found", "api_key_not_found"],
  },
  "apiKeys.list": {
    ...operator,
    summary: "List the keys of a workspace",
    operation: "query",
    input: ListApiKeys,
    output: ApiKeyList,
    errors: ["workspace_not_found"],
  },
} as const satisfies Record<string, Endpoint>;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
