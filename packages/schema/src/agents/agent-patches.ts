import * as z from "zod";
import { optional, Reference, ShortText, text } from "../parsing/text.ts";
import { warnings } from "../parsing/warnings.ts";
import { AgentConfiguration, editable } from "./agents.ts";
import { SkippedActions } from "./agent-definitions.ts";
import { ReasoningEffort } from "../workspaces/models.ts";

const { name, description, instructions, pictureUrl, scope, maxStepsPerRun, tags } = editable;

/** Body of a change of an agent over the public interface. Members that are left out stay as they are. */
export const PatchAgent = z.object({
  userFavorite: optional(z.boolean())
    .describe(
      "Whether the agent is a favourite of the caller's user; all other fields need an admin key",
    )
    .meta({ example: true }),
  agent: optional(
    z.object({
      handle: optional(name).describe("New name"),
      description: optional(description).describe("New description"),
      scope: scope.describe("Visibility of the agent"),
      avatar_url: pictureUrl.describe("URL of the agent's picture; empty for a default picture"),
      max_steps_per_run: maxStepsPerRun.describe("Maximum steps per turn"),
      visualization_enabled: optional(z.boolean()).describe("Accepted but not stored"),
    }),
  ).describe("Description of the agent"),
  instructions: instructions.describe("New instructions"),
  generation_settings: optional(
    z.object({
      provider_id: optional(ShortText.min(1)).describe("Provider of the model"),
      model_id: optional(ShortText.min(1)).describe("Model of the provider"),
      temperature: editable.model.shape.temperature.describe("Sampling temperature"),
      reasoning_effort: optional(ReasoningEffort).describe(
        "Reasoning effort unless a message sets one; ignored if the model does not support it",
      ),
    }),
  ).describe("Model of the agent"),
  tags: tags.describe("Its tags, replacing the current ones"),
  editors: optional(z.array(ShortText).max(100)).describe(
    "E-mail addresses of its editors (members), replacing the current ones",
  ),
  skills: optional(
    z
      .array(
        z.object({
          sId: optional(Reference).describe("Id of the skill"),
          name: optional(text(256)).describe("Name of the skill, if there is no id"),
        }),
      )
      .max(50),
  ).describe("Its skills, replacing the current ones"),
  toolset: optional(
    z
      .array(
        z.object({
          name: optional(ShortText).describe("Name of the tool"),
          description: optional(text(4096)).describe("Not used"),
          type: optional(ShortText).describe("MCP"),
          configuration: optional(
            z.object({
              mcp_server_name: optional(ShortText).describe("Name of the tool's server"),
            }),
          ).describe("Where the tool is"),
        }),
      )
      .max(16),
  ).describe("Its tools of MCP servers, replacing the current ones"),
});
export type PatchAgent = z.output<typeof PatchAgent>;

export const PatchedAgent = z.object({
  agentConfiguration: AgentConfiguration.describe("The agent, in its current version"),
  skippedActions: SkippedActions.optional().describe("Like those of an import, if there are any"),
  warnings,
});
export type PatchedAgent = z.infer<typeof PatchedAgent>;
