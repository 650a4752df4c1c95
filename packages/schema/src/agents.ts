import * as z from "zod";
import { OfWorkspace } from "./params.ts";
import { optional, Reference, ShortText, text } from "./text.ts";

export const AgentStatus = z.enum(["active", "archived", "draft"]);
export const AgentScope = z.enum(["global", "hidden", "visible"]);

/** One version of an agent's configuration. */
export const AgentConfiguration = z.object({
  id: z.int().describe("Number of this version"),
  sId: z.string().describe("Id of the agent, the same in all its versions"),
  version: z.int().describe("Number of the version, from 0"),
  versionCreatedAt: z.iso.datetime().nullable().describe("When this version was made"),
  versionAuthorId: z.string().nullable().describe("Always null"),
  name: z.string().describe("Name of the agent"),
  description: z.string().describe("What the agent is for"),
  instructions: z.string().nullable().describe("Instructions that the model gets"),
  pictureUrl: z.string().describe("Address of the agent's picture"),
  status: AgentStatus.describe("Whether the agent can be mentioned"),
  scope: AgentScope.describe("Who sees the agent"),
  userFavorite: z.boolean().describe("Whether the caller marked the agent as a favourite"),
  model: z
    .object({
      providerId: z.string().describe("Provider of the model"),
      modelId: z.string().describe("Model of the provider"),
      temperature: z.number().describe("Sampling temperature"),
    })
    .describe("The configured model, also where a message overrides it"),
  actions: z.array(z.unknown()).describe("Configured actions"),
  maxStepsPerRun: z.int().describe("How many steps a turn may take"),
  templateId: z.string().nullable().describe("Template the agent was made from"),
});
export type AgentConfiguration = z.infer<typeof AgentConfiguration>;

/** One step of a scripted turn: reasoning, text and calls, in this order. */
const SimulatedStep = z.object({
  reasoning: z.string().optional().describe("Streamed first, as chain of thought"),
  text: z
    .string()
    .optional()
    .describe(
      "Streamed as the answer; `{{message}}` stands for the text that is answered, `{{result}}` " +
        "for what the last tool call gave",
    ),
  toolCalls: z
    .array(
      z.object({
        name: z.string().describe("Name of the tool"),
        params: z.record(z.string(), z.unknown()).describe("Parameters of the call"),
        output: z
          .string()
          .optional()
          .describe("What the simulated tool answers; without it, the tool itself is run"),
      }),
    )
    .optional()
    .describe("Calls at the end of the step"),
  error: z
    .object({
      code: z.string().describe("Stable code of the failure"),
      message: z.string().describe("What failed"),
    })
    .optional()
    .describe("Makes the step fail after its text"),
});

/** What the simulated provider plays for an agent: the same script and message give the same turn. */
export const SimulatedScript = z.object({
  steps: z.array(SimulatedStep).min(1).max(64).describe("Steps of the turn"),
  tokenDelayMs: z.number().min(0).max(60_000).default(0).describe("Pause before each token"),
});
export type SimulatedScript = z.infer<typeof SimulatedScript>;

/** Query of the listing of agents. */
export const ListAgents = z.object({
  view: optional(z.enum(["all", "list", "workspace", "published", "global", "favorites"]))
    .transform((view) => view ?? "all")
    .describe("Which agents to list; all active ones by default"),
});
export type ListAgents = z.output<typeof ListAgents>;

const editable = {
  name: ShortText.min(1).describe("Name of the agent"),
  description: text(4096).describe("What the agent is for"),
  instructions: optional(text(512 * 1024)).describe("Instructions that the model gets"),
  pictureUrl: optional(text(2048)).describe("Address of the agent's picture"),
  scope: optional(z.enum(["hidden", "visible"])).describe("Who sees the agent; visible by default"),
  model: z
    .object({
      providerId: ShortText.min(1).describe("Provider of the model"),
      modelId: ShortText.min(1).describe("Model of the provider"),
      temperature: optional(z.number().min(0).max(2)).describe(
        "Sampling temperature; 0.7 by default",
      ),
    })
    .describe("Model of the agent"),
  maxStepsPerRun: optional(z.int().min(1).max(64)).describe("Steps of a turn; 8 by default"),
  script: optional(SimulatedScript).describe("What the simulated provider plays"),
  skillIds: optional(z.array(Reference).max(50)).describe(
    "Skills that the agent has, beside those that every agent has",
  ),
  functionIds: optional(z.array(Reference).max(50)).describe(
    "Sandbox functions that the agent may call, by id or slug",
  ),
};

export const AgentIdentity = OfWorkspace.extend({ agentId: Reference.describe("Id of the agent") });
export const CreateAgent = OfWorkspace.extend(editable);
export const UpdateAgent = AgentIdentity.extend({
  ...editable,
  name: optional(editable.name).describe("New name"),
  description: optional(editable.description).describe("New description"),
  model: optional(editable.model).describe("New model"),
});
export type CreateAgent = z.output<typeof CreateAgent>;
export type UpdateAgent = z.output<typeof UpdateAgent>;

export const AgentWithScript = z.object({
  agentConfiguration: AgentConfiguration.describe("The agent, in its current version"),
  script: SimulatedScript.nullable().describe("What the simulated provider plays"),
  skillIds: z.array(z.string()).describe("Skills that it has, beside those that every agent has"),
  functionIds: z.array(z.string()).describe("Sandbox functions that it may call"),
});
export type AgentWithScript = z.infer<typeof AgentWithScript>;
