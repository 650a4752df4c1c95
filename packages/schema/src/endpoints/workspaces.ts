import * as z from "zod";
import {
  AgentConfiguration,
  AgentIdentity,
  AgentWithScript,
  CreateAgent,
  ListAgents,
  UpdateAgent,
} from "../agents.ts";
import {
  ApiKey,
  ApiKeyList,
  CreateApiKey,
  CreatedApiKey,
  KeyIdentity,
  UpdateApiKey,
} from "../api-keys.ts";
import {
  CreateDataSourceView,
  DataSourceView,
  PutDataSourceNode,
  RemoveDataSourceNode,
} from "../data-sources.ts";
import type { Endpoint } from "../endpoint.ts";
import { OfWorkspace, Success, WorkspaceParams } from "../params.ts";
import { CreateSpace, Space, SpaceWithKeys, UpdateSpace } from "../spaces.ts";
import { AddMember, MemberIdentity, User } from "../users.ts";
import {
  CreatedWorkspace,
  CreateWorkspace,
  UpdateWorkspace,
  WorkspaceSettings,
} from "../workspaces.ts";

const rpc = { kind: "rpc", rateLimit: "operate", tags: ["administration"], errors: [] } as const;
const change = { ...rpc, operation: "mutation", role: "admin" } as const;
const read = { ...rpc, operation: "query", role: "admin" } as const;

/** Administration: of the server by operators, of a workspace by its admins and builders. */
export const workspaceEndpoints = {
  "workspaces.create": {
    ...change,
    role: "operator",
    summary: "Create a workspace and its first admin key",
    input: CreateWorkspace,
    output: CreatedWorkspace,
  },
  "workspaces.delete": {
    ...change,
    role: "operator",
    summary: "Delete a workspace and everything in it",
    input: OfWorkspace,
    output: Success,
    errors: ["workspace_not_found"],
  },
  "workspaces.get": {
    ...read,
    summary: "Read the settings of a workspace",
    input: OfWorkspace,
    output: WorkspaceSettings,
    errors: ["workspace_not_found"],
  },
  "workspaces.update": {
    ...change,
    summary: "Change the settings of a workspace",
    input: UpdateWorkspace,
    output: WorkspaceSettings,
    errors: ["workspace_not_found", "model_disabled", "skill_not_found"],
  },
  "apiKeys.create": {
    ...change,
    summary: "Create a key",
    input: CreateApiKey,
    output: CreatedApiKey,
    errors: ["workspace_not_found", "space_not_found"],
  },
  "apiKeys.list": {
    ...read,
    summary: "List the keys of a workspace",
    input: OfWorkspace,
    output: ApiKeyList,
    errors: ["workspace_not_found"],
  },
  "apiKeys.update": {
    ...change,
    summary: "Change a key's role, spaces or expiry, or disable it",
    input: UpdateApiKey,
    output: z.object({ apiKey: ApiKey.describe("The key") }),
    errors: ["workspace_not_found", "api_key_not_found", "space_not_found"],
  },
  "apiKeys.revoke": {
    ...change,
    summary: "Revoke a key for good",
    input: KeyIdentity,
    output: Success,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
  "members.add": {
    ...change,
    summary: "Add a member",
    input: AddMember,
    output: z.object({ member: User.describe("The new member") }),
    errors: ["workspace_not_found", "member_already_exists"],
  },
  "members.list": {
    ...read,
    role: "user",
    summary: "List the members of a workspace",
    input: OfWorkspace,
    output: z.object({ members: z.array(User).describe("Members, the oldest first") }),
    errors: ["workspace_not_found"],
  },
  "members.remove": {
    ...change,
    summary: "Remove a member",
    input: MemberIdentity,
    output: Success,
    errors: ["workspace_not_found", "member_not_found"],
  },
  "spaces.list": {
    kind: "json",
    summary: "List the spaces that the key reaches",
    method: "GET",
    path: "/api/v1/w/{wId}/spaces",
    params: WorkspaceParams,
    output: z.object({ spaces: z.array(Space).describe("Spaces, by name") }),
    status: 200,
    role: "user",
    rateLimit: "read",
    errors: [],
    tags: ["spaces"],
    specified: false,
  },
  "spaces.create": {
    ...change,
    summary: "Create a space",
    input: CreateSpace,
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "api_key_not_found"],
  },
  "spaces.update": {
    ...change,
    summary: "Rename or restrict a space, or say which keys reach it",
    input: UpdateSpace,
    output: SpaceWithKeys,
    errors: ["workspace_not_found", "space_not_found", "api_key_not_found"],
  },
  "agents.list": {
    kind: "json",
    summary: "List agents",
    method: "GET",
    path: "/api/v1/w/{wId}/assistant/agent_configurations",
    params: WorkspaceParams,
    query: ListAgents,
    output: z.object({ agentConfigurations: z.array(AgentConfiguration).describe("By name") }),
    status: 200,
    role: "user",
    rateLimit: "read",
    errors: [],
    tags: ["agents"],
    specified: false,
  },
  "agents.create": {
    ...change,
    role: "builder",
    summary: "Create an agent",
    input: CreateAgent,
    output: AgentWithScript,
    errors: ["workspace_not_found", "model_disabled"],
  },
  "agents.update": {
    ...change,
    role: "builder",
    summary: "Change an agent: a new version",
    input: UpdateAgent,
    output: AgentWithScript,
    errors: ["workspace_not_found", "agent_not_found", "model_disabled", "skill_not_found"],
  },
  "agents.archive": {
    ...change,
    role: "builder",
    summary: "Archive an agent: it can no longer be mentioned",
    input: AgentIdentity,
    output: Success,
    errors: ["workspace_not_found", "agent_not_found"],
  },
  "dataSourceViews.create": {
    ...change,
    role: "builder",
    summary: "Register a data source view",
    input: CreateDataSourceView,
    output: z.object({ dataSourceView: DataSourceView.describe("The new view") }),
    errors: ["workspace_not_found", "space_not_found"],
  },
  "dataSourceViews.list": {
    ...read,
    role: "builder",
    summary: "List the data source views of a workspace",
    input: OfWorkspace,
    output: z.object({
      dataSourceViews: z.array(DataSourceView).describe("Views, the oldest first"),
    }),
    errors: ["workspace_not_found"],
  },
  "dataSourceNodes.put": {
    ...change,
    role: "builder",
    summary: "Write a node of a data source view",
    input: PutDataSourceNode,
    output: Success,
    errors: ["workspace_not_found", "data_source_view_not_found"],
  },
  "dataSourceNodes.remove": {
    ...change,
    role: "builder",
    summary: "Remove a node of a data source view",
    input: RemoveDataSourceNode,
    output: Success,
    errors: ["workspace_not_found", "data_source_view_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
