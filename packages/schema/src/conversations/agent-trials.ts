import * as z from "zod";
import { editable } from "../agents/agents.ts";
import { post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import { optional, Reference } from "../parsing/text.ts";
import { CreateMessage } from "./messages.ts";

const { editorIds: _editorIds, ...definition } = editable;

/** Body of a trial: of a version of an agent, or of a definition that is not saved. */
export const TryAgent = z.object({
  agentId: optional(Reference)
    .describe("Agent that is tried, or that the draft changes: its budget pays")
    .meta({ example: "helper" }),
  agentVersion: optional(z.int().min(0).max(2_147_483_647)).describe(
    "Version that is tried; the current one by default. Not with a draft",
  ),
  draft: optional(z.object(definition)).describe(
    "Definition that is tried and not saved; left-out members have the defaults of a new agent",
  ),
  message: CreateMessage.omit({ mentions: true }).describe("Message that the agent answers"),
});
export type TryAgent = z.output<typeof TryAgent>;

export const TriedAgent = z.object({
  conversation: z
    .object({
      sId: z.string().describe("Id of the conversation").meta({ example: "Kd82jXq0Pz" }),
    })
    .describe("The temporary conversation, which is erased within a minute of the answer"),
  message: z
    .object({
      sId: z.string().describe("Id of the agent message").meta({ example: "Vn4tR9sWy1" }),
    })
    .describe("The agent message, whose events can be followed"),
});
export type TriedAgent = z.infer<typeof TriedAgent>;

/** Operations that try agents. */
export const agentTrialEndpoints = {
  "agents.try": {
    ...post,
    summary:
      "Ask a version of an agent, or a definition that is not saved, in a temporary conversation",
    role: "builder",
    scope: null,
    path: "/api/v1/w/{wId}/assistant/agent_configurations/try",
    params: WorkspaceParams,
    body: TryAgent,
    output: TriedAgent,
    tags: ["agents"],
    errors: [
      "agent_not_found",
      "model_disabled",
      "skill_not_found",
      "sandbox_function_not_found",
      "tool_not_found",
    ],
  },
} as const satisfies Record<string, Endpoint>;
