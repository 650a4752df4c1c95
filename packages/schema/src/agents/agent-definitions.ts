import * as z from "zod";
import { optional, Reference, text } from "../parsing/text.ts";
import { warnings } from "../parsing/warnings.ts";
import { AgentConfiguration, AgentScope, CreateAgent } from "./agents.ts";

const {
  name,
  description,
  instructions,
  pictureUrl,
  model,
  fallbackModels,
  maxStepsPerRun,
  skillIds,
  toolIds,
  asksUser,
  team,
  compaction,
  knowledge,
  memory,
  responseFormat,
  tags,
} = CreateAgent.shape;

/** An agent as a file in YAML. Members that it does not have are refused: they are mistakes. */
export const AgentDefinition = z.strictObject({
  sId: optional(Reference).describe("Id of the agent; without it, a new agent is created"),
  name,
  description,
  instructions,
  pictureUrl,
  scope: optional(AgentScope).describe("Visibility of the agent; visible by default"),
  model,
  fallbackModels,
  maxStepsPerRun,
  skills: skillIds.describe("Ids of its skills"),
  functions: skillIds.describe("Ids or slugs of the functions that it may call"),
  tools: toolIds.describe("Ids of the tools of MCP servers that it may call"),
  asksUser,
  team,
  compaction,
  knowledge,
  memory,
  responseFormat,
  tags: tags.describe("Its tags"),
  script: optional(text(1024 * 1024)).describe("Script for the simulated provider, in JSON"),
});
export type AgentDefinition = z.output<typeof AgentDefinition>;

/** Body of an import. */
export const ImportAgent = z.object({
  yaml: text(2 * 1024 * 1024, 1)
    .describe("The agent, as exported")
    .meta({
      example:
        "name: Clerk\ndescription: Answers about orders\n" +
        "model:\n  providerId: simulated\n  modelId: simulated-1\n",
    }),
});
export type ImportAgent = z.output<typeof ImportAgent>;

/** What an agent was to have and has not. */
export const SkippedActions = z
  .array(
    z.object({
      name: z.string().describe("Id or name of the skill, function or tool"),
      reason: z.string().describe("Why the agent does not have it"),
    }),
  )
  .describe("Skills, functions and tools that the workspace does not have");

export const ImportedAgent = z.object({
  agentConfiguration: AgentConfiguration.describe("The new agent, or the new version"),
  skippedActions: SkippedActions,
  warnings,
});
export type ImportedAgent = z.infer<typeof ImportedAgent>;
