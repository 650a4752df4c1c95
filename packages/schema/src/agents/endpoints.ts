import * as z from "zod";
import { administer, administered, get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { ImportAgent, ImportedAgent } from "./agent-definitions.ts";
import { PatchAgent, PatchedAgent } from "./agent-patches.ts";
import {
  AgentVersionDefinition,
  AgentVersionIdentity,
  AgentVersionPage,
  ListAgentVersions,
  RestoreAgentVersion,
} from "./agent-versions.ts";
import {
  AgentConfiguration,
  AgentIdentity,
  AgentPage,
  AgentParams,
  AgentWithScript,
  CreateAgent,
  CreateGenericAgent,
  GenericAgent,
  ListAgents,
  ListAllAgents,
  ReadAgent,
  SearchAgents,
  UpdateAgent,
} from "./agents.ts";

const root = "/api/v1/w/{wId}/assistant/agent_configurations";

const versions = `${administered}/agents/{agentId}/versions` as const;

const read = { ...get, scope: "agents:read", tags: ["agents"] } as const;
const list = { ...read, params: WorkspaceParams } as const;
const build = {
  ...post,
  tags: ["agents"],
  role: "builder",
  scope: null,
  params: WorkspaceParams,
  subject: [],
  errors: ["model_disabled"],
} as const;
const referenceErrors = [
  "model_disabled",
  "skill_not_found",
  "sandbox_function_not_found",
  "tool_not_found",
  "member_not_found",
] as const;

/** Operations on agents. */
export const agentEndpoints = {
  "agents.list": {
    ...list,
    summary: "List agents",
    path: root,
    query: ListAgents,
    output: z.object({ agentConfigurations: z.array(AgentConfiguration).describe("By name") }),
  },
  "agents.search": {
    ...list,
    summary: "Search agents by name",
    path: `${root}/search`,
    query: SearchAgents,
    output: z.object({
      agentConfigurations: z.array(AgentConfiguration).describe("At most 100, by name"),
    }),
  },
  "agents.get": {
    ...read,
    summary: "Read an agent",
    path: `${root}/{sId}`,
    params: AgentParams,
    query: ReadAgent,
    output: z.object({
      agentConfiguration: AgentConfiguration.describe("The agent, in its current version"),
    }),
    errors: ["agent_not_found"],
  },
  "agents.patch": {
    ...read,
    summary:
      "Add an agent to the caller's favourites or remove it; with an admin key, update the agent",
    method: "PATCH",
    scope: "conversations:write",
    path: `${root}/{sId}`,
    params: AgentParams,
    subject: ["sId"],
    body: PatchAgent,
    output: PatchedAgent,
    errors: ["agent_not_found", "model_disabled"],
  },
  "agents.delete": {
    ...read,
    summary: "Archive an agent, so that it can no longer be mentioned",
    method: "DELETE",
    role: "admin",
    scope: null,
    path: `${root}/{sId}`,
    params: AgentParams,
    subject: ["sId"],
    output: Success,
    errors: ["agent_not_found"],
  },
  "agents.export": {
    ...read,
    kind: "download",
    summary: "Export an agent as a YAML file that can be imported",
    role: "builder",
    scope: null,
    path: `${root}/{sId}/export/yaml`,
    params: AgentParams,
    errors: ["agent_not_found"],
  },
  "agents.import": {
    ...build,
    summary:
      "Import an agent from YAML, as a new version of the agent that it names or as a new agent",
    path: `${root}/import`,
    body: ImportAgent,
    output: ImportedAgent,
  },
  "agents.createGeneric": {
    ...build,
    summary: "Create an agent with a model of the workspace",
    path: "/api/v1/w/{wId}/assistant/generic_agents",
    body: CreateGenericAgent,
    output: GenericAgent,
  },
  "agents.listAll": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/agents`,
      input: ListAllAgents,
    }),
    summary: "List the agents, including archived ones",
    output: AgentPage,
  },
  "agents.getDefinition": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${administered}/agents/{agentId}`,
      input: AgentIdentity,
    }),
    summary: "Read an agent with its script, skills, functions, tools and editors",
    output: AgentWithScript,
    errors: ["workspace_not_found", "agent_not_found"],
  },
  "agents.create": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/agents`,
      input: CreateAgent,
    }),
    summary: "Create an agent",
    subject: [],
    output: AgentWithScript,
    errors: ["workspace_not_found", ...referenceErrors],
  },
  "agents.update": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: `${administered}/agents/{agentId}`,
      input: UpdateAgent,
    }),
    summary: "Update an agent, which creates a new version",
    subject: ["agentId"],
    output: AgentWithScript,
    errors: ["workspace_not_found", "agent_not_found", "version_conflict", ...referenceErrors],
  },
  "agents.archive": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/agents/{agentId}/archive`,
      input: AgentIdentity,
    }),
    storesLittle: true,
    summary: "Archive an agent, so that it can no longer be mentioned",
    subject: ["agentId"],
    output: Success,
    errors: ["workspace_not_found", "agent_not_found"],
  },
  "agents.restore": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${administered}/agents/{agentId}/restore`,
      input: AgentIdentity,
    }),
    storesLittle: true,
    summary: "Restore an archived agent",
    subject: ["agentId"],
    output: Success,
    errors: ["workspace_not_found", "agent_not_found"],
  },
  "agents.listVersions": {
    ...administer({ role: "builder", method: "GET", path: versions, input: ListAgentVersions }),
    summary: "List the versions of an agent and what changed in each, newest first",
    output: AgentVersionPage,
    errors: ["workspace_not_found", "agent_not_found"],
  },
  "agents.getVersion": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${versions}/{agentVersion}`,
      input: AgentVersionIdentity,
    }),
    summary: "Read a version of an agent with its script, skills, functions and tools",
    output: AgentVersionDefinition,
    errors: ["workspace_not_found", "agent_not_found"],
  },
  "agents.restoreVersion": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${versions}/{agentVersion}/restore`,
      input: RestoreAgentVersion,
    }),
    summary: "Restore a version of an agent, which creates a new version equal to it",
    subject: ["agentId"],
    output: AgentWithScript,
    errors: [
      "workspace_not_found",
      "agent_not_found",
      "version_conflict",
      "model_disabled",
      "sandbox_function_not_found",
    ],
  },
} as const satisfies Record<string, Endpoint>;
