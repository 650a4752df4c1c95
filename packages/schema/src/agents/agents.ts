import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageEnd, pageQuery } from "../parsing/page.ts";
import { forUpdate, optional, Reference, ShortText, text, UrlText } from "../parsing/text.ts";
import { warnings } from "../parsing/warnings.ts";
import { Compaction, StoredCompaction } from "./compaction.ts";
import { AgentKnowledge, StoredAgentKnowledge } from "./knowledge.ts";
import { AgentMemory, StoredAgentMemory } from "./memory.ts";
import { SimulatedScript } from "../simulation/simulated-script.ts";
import { ModelPair, ReasoningEffort } from "../workspaces/models.ts";
import { ResponseFormat, StoredResponseFormat } from "../workspaces/response-formats.ts";
import { Instructions } from "./instructions.ts";
import { Team, TeamMember } from "./team.ts";

export const AgentStatus = z.enum(["active", "archived", "draft"]);
export const AgentScope = z.enum(["global", "hidden", "visible"]);

/** One version of an agent's configuration. */
export const AgentConfiguration = z.object({
  id: z.int().describe("Number of this version").meta({ example: 1 }),
  sId: z
    .string()
    .describe("Id of the agent, the same in all its versions")
    .meta({ example: "helper" }),
  version: z.int().describe("Number of the version, from 0").meta({ example: 0 }),
  versionCreatedAt: z.iso
    .datetime()
    .nullable()
    .describe("When this version was created")
    .meta({ example: "2026-05-28T20:26:40.000Z" }),
  versionAuthorId: z.string().nullable().describe("Always null"),
  name: z.string().describe("Name of the agent").meta({ example: "helper" }),
  description: z.string().describe("Description of the agent").meta({ example: "Answers at once" }),
  instructions: z.string().nullable().describe("Instructions for the model"),
  pictureUrl: z
    .string()
    .describe("Absolute URL of the agent's picture")
    .meta({ example: "https://parley.test/pictures/agent-1.svg" }),
  status: AgentStatus.describe("Whether the agent can be mentioned"),
  scope: AgentScope.meta({ description: "Visibility of the agent", example: "visible" }),
  userFavorite: z
    .boolean()
    .describe("Whether the caller's user marked the agent as a favourite; false within messages"),
  model: z
    .object({
      providerId: z.string().describe("Provider of the model").meta({ example: "simulated" }),
      modelId: z.string().describe("Model of the provider").meta({ example: "simulated-1" }),
      temperature: z.number().describe("Sampling temperature").meta({ example: 0.7 }),
    })
    .describe("The configured model, also where a message overrides it"),
  actions: z.array(z.unknown()).describe("Configured actions"),
  maxStepsPerRun: z.int().describe("Maximum steps per turn").meta({ example: 8 }),
  templateId: z.string().nullable().describe("Template of the agent"),
  visualizationEnabled: z.literal(false).describe("Always false"),
  requestedGroupIds: z.array(z.unknown()).describe("Always empty"),
});
export type AgentConfiguration = z.infer<typeof AgentConfiguration>;

/** Query of the listing of agents. */
export const ListAgents = z.object({
  view: optional(z.enum(["all", "list", "workspace", "published", "global", "favorites"]))
    .transform((view) => view ?? "all")
    .describe("Which agents to list; all active ones by default")
    .meta({ example: "all" }),
});
export type ListAgents = z.output<typeof ListAgents>;

/** Query of the search for agents. */
export const SearchAgents = z.object({
  q: ShortText.min(1).describe("Part of the agents' names, in any case").meta({ example: "help" }),
});
export type SearchAgents = z.output<typeof SearchAgents>;

export const AgentParams = WorkspaceParams.extend({
  sId: Reference.describe("Id of the agent").meta({ example: "helper" }),
});

/** Query to read an agent. */
export const ReadAgent = z.object({
  variant: optional(z.enum(["light", "full"]))
    .describe("Whether the instructions are left out (light) or not (full, the default)")
    .meta({ example: "full" }),
});
export type ReadAgent = z.output<typeof ReadAgent>;

/** A word that an agent is found by in other programs; Parley only keeps it. */
export const AgentTag = z.object({
  name: z.string().describe("Name of the tag").meta({ example: "finance" }),
  kind: z.string().describe("Kind of the tag").meta({ example: "standard" }),
});
export type AgentTag = z.infer<typeof AgentTag>;

const tag = z.object({
  name: ShortText.min(1).describe("Name of the tag"),
  kind: optional(ShortText)
    .transform((kind) => kind ?? "standard")
    .describe("Kind of the tag; standard by default"),
});

/** Each model before the last one that is asked delays an answer. */
const MAX_FALLBACK_MODELS = 3;

/** The members of an agent that can be changed. */
export const editable = {
  name: ShortText.min(1).describe("Name of the agent").meta({ example: "Clerk" }),
  description: text(4096)
    .describe("Description of the agent")
    .meta({ example: "Answers about orders" }),
  instructions: optional(Instructions).describe(
    "Instructions for the model, in which {{user.name}} and other names stand for values",
  ),
  pictureUrl: optional(UrlText).describe(
    "URL of the agent's picture; a default picture if omitted",
  ),
  scope: optional(z.enum(["hidden", "visible"])).describe(
    "Visibility of the agent; visible by default",
  ),
  model: z
    .object({
      providerId: ShortText.min(1).describe("Provider of the model").meta({ example: "simulated" }),
      modelId: ShortText.min(1).describe("Model of the provider").meta({ example: "simulated" }),
      temperature: optional(z.number().min(0).max(2)).describe(
        "Sampling temperature; 0.7 by default",
      ),
      reasoningEffort: ReasoningEffort.nullish().describe(
        "Reasoning effort unless a message sets one; ignored if the model does not support it. Null for the model's default",
      ),
    })
    .describe("Model of the agent"),
  fallbackModels: optional(z.array(ModelPair).max(MAX_FALLBACK_MODELS)).describe(
    "Models that answer in its place while its own is overloaded, down or silent, in order; none by default",
  ),
  maxStepsPerRun: optional(z.int().min(1).max(64)).describe("Maximum steps per turn; 8 by default"),
  script: optional(SimulatedScript).describe("Script for the simulated provider"),
  skillIds: optional(z.array(Reference).max(50)).describe("Additional skills"),
  functionIds: optional(z.array(Reference).max(50)).describe(
    "Sandbox functions that the agent can call, by id or slug",
  ),
  toolIds: optional(z.array(Reference).max(16)).describe(
    "Additional MCP tools that the agent can call, besides those of its skills",
  ),
  asksUser: optional(z.boolean()).describe(
    "Whether the agent can ask the user questions; false by default",
  ),
  team: optional(Team).describe("Agents that the agent can ask, or hand over to; none by default"),
  compaction: optional(Compaction).describe("When the oldest messages are summarised"),
  knowledge: optional(AgentKnowledge).describe(
    "What the agent may look up in data sources; nothing by default",
  ),
  memory: optional(AgentMemory).describe(
    "What the agent may do with the files that it remembers; by default it remembers nothing",
  ),
  responseFormat: optional(ResponseFormat).describe(
    "What the agent's answers are, unless a message sets it; text by default",
  ),
  tags: optional(z.array(tag).max(20)).describe("Tags of the agent"),
  editorIds: optional(z.array(Reference).max(100)).describe(
    "Editors of the agent; only admins can set them",
  ),
};

export const AgentIdentity = WorkspaceParams.extend({
  agentId: Reference.describe("Id of the agent").meta({ example: "Ag7nTq2Wz4" }),
});
export const CreateAgent = WorkspaceParams.extend(editable);
export const UpdateAgent = AgentIdentity.extend({
  ...forUpdate(editable),
  version: optional(z.int().min(0)).describe(
    "Version that the change is based on; the current one by default",
  ),
  name: optional(editable.name).describe("New name"),
  description: optional(editable.description).describe("New description"),
  model: optional(editable.model).describe("New model"),
  script: SimulatedScript.nullish().describe("Script for the simulated provider, or null for none"),
  responseFormat: ResponseFormat.nullish().describe(
    "What the agent's answers are, unless a message sets it; null for text",
  ),
});
export type CreateAgent = z.output<typeof CreateAgent>;
export type UpdateAgent = z.output<typeof UpdateAgent>;

/** Which agents to list for those who administer them. */
export const ListAllAgents = WorkspaceParams.extend({
  status: optional(AgentStatus)
    .describe("Only agents with this status; all by default")
    .meta({ example: "archived" }),
  ...pageQuery("Agents", { defaultLimit: 20, place: Reference }),
});
export type ListAllAgents = z.output<typeof ListAllAgents>;

/** A page of agents. Instructions may be long: the read of an agent has them. */
export const AgentPage = z.object({
  agentConfigurations: z
    .array(AgentConfiguration.omit({ instructions: true }))
    .describe("Agents in their current versions, ordered by id, without instructions"),
  ...pageEnd,
});
export type AgentPage = z.infer<typeof AgentPage>;

export const AgentWithScript = z.object({
  agentConfiguration: AgentConfiguration.describe("The agent, in its current version"),
  script: SimulatedScript.nullable()
    .describe("Script for the simulated provider")
    .meta({ example: null }),
  skillIds: z.array(z.string()).describe("Additional skills"),
  functionIds: z.array(z.string()).describe("Sandbox functions that it may call"),
  toolIds: z.array(z.string()).describe("Tools of MCP servers that it may call"),
  asksUser: z.boolean().describe("Whether it can ask the user questions"),
  team: z
    .array(TeamMember)
    .describe("Agents that it can ask, or hand over to")
    .meta({ example: [] }),
  reasoningEffort: ReasoningEffort.nullable()
    .describe("Reasoning effort unless a message sets one; null for the model's default")
    .meta({ example: null }),
  fallbackModels: z
    .array(ModelPair)
    .describe("Models that answer in its place while its own is overloaded, down or silent")
    .meta({ example: [] }),
  compaction: StoredCompaction.describe(
    "When the oldest messages are summarised; without a member, by its default",
  ).meta({ example: {} }),
  knowledge: StoredAgentKnowledge.describe(
    "What it may look up in data sources; empty for nothing",
  ).meta({ example: {} }),
  memory: StoredAgentMemory.describe("What it may do with the files that it remembers").meta({
    example: {},
  }),
  responseFormat: StoredResponseFormat.nullable()
    .describe("What its answers are, unless a message sets it; null for text")
    .meta({ example: null }),
  tags: z.array(AgentTag).describe("Its tags"),
  editorIds: z.array(z.string()).describe("Its editors"),
});
export type AgentWithScript = z.infer<typeof AgentWithScript>;

/** Body of the creation of an agent with the defaults of the workspace. */
export const CreateGenericAgent = z.object({
  name: editable.name,
  description: editable.description,
  instructions: Instructions.describe("Instructions for the model").meta({
    example: "Answer briefly",
  }),
  emoji: optional(ShortText).describe("Accepted but not shown: agents have pictures"),
  subAgentName: optional(ShortText.min(1)).describe("Name of a second agent; none by default"),
  subAgentDescription: optional(text(4096)).describe("Description of the second agent"),
  subAgentInstructions: optional(Instructions).describe("Instructions of the second agent"),
  subAgentEmoji: optional(ShortText).describe("Accepted but not shown: agents have pictures"),
});
export type CreateGenericAgent = z.output<typeof CreateGenericAgent>;

export const GenericAgent = z.object({
  agentConfiguration: AgentConfiguration.describe("The new agent"),
  subAgentConfiguration: AgentConfiguration.optional().describe("The second agent, if any"),
  warnings,
});
export type GenericAgent = z.infer<typeof GenericAgent>;
