import * as z from "zod";
import { MessageParams } from "../params.ts";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Milliseconds } from "../parsing/text.ts";
import { TokenCounts } from "../usage/token-counts.ts";
import { StoredResponseFormat } from "../workspaces/response-formats.ts";
import { AgentMessageStatus } from "./messages.ts";

const StoredSettings = z.object({
  functionTools: z
    .array(
      z.object({
        name: z.string().describe("Name that the model calls"),
        description: z.string().describe("What it does, for the model"),
        parameters: z.record(z.string(), z.unknown()).describe("JSON Schema of its parameters"),
        strict: z.boolean().optional().describe("Whether the service enforces the schema"),
      }),
    )
    .optional()
    .describe("Tools of the application itself"),
  toolChoice: z
    .union([
      z.enum(["auto", "none", "required"]),
      z.object({ name: z.string().describe("The tool that is called first") }),
    ])
    .optional()
    .describe("Which tools it calls"),
  parallelToolCalls: z.boolean().optional().describe("Whether a step may have several calls"),
  maxOutputTokens: z.int().optional().describe("Most tokens of a step"),
  temperature: z.number().optional().describe("Temperature"),
  instructions: z.string().optional().describe("Instructions for it alone"),
  metadata: z
    .record(z.string(), z.unknown())
    .optional()
    .describe("What the application wants to read again"),
});

/** What an answer was asked with, and what each of its steps took. */
export const AnswerDetails = z.object({
  messageId: z.string().describe("Id of the answer").meta({ example: "Vn4tR9sWy1" }),
  rank: z.int().describe("Its position in the conversation, from 0").meta({ example: 1 }),
  isNewest: z.boolean().describe("Whether nothing was said after it"),
  created: Milliseconds.describe("When it was created"),
  status: AgentMessageStatus.describe("Status of the answer"),
  agentConfigurationId: z.string().describe("Id of the agent").meta({ example: "helper" }),
  settings: StoredSettings.describe("What its question asked of the model; empty for nothing"),
  responseFormat: StoredResponseFormat.nullable().describe(
    "What its question asked it to be; null for the agent's own",
  ),
  steps: z
    .array(
      z.object({
        step: z.int().describe("Number of the step, from 0").meta({ example: 0 }),
        ...TokenCounts.shape,
      }),
    )
    .describe("Tokens of the steps that have ended, in their order; failed calls are not in it"),
});
export type AnswerDetails = z.infer<typeof AnswerDetails>;

/** Operations on single answers. */
export const answerEndpoints = {
  "messages.getAnswer": {
    ...get,
    tags: ["conversations"],
    scope: "conversations:read",
    summary: "Read what an answer was asked with, and the tokens of its steps",
    path: "/api/v1/w/{wId}/assistant/conversations/{cId}/messages/{mId}/answer",
    params: MessageParams,
    output: z.object({ answer: AnswerDetails.describe("The answer, without its text") }),
    errors: ["conversation_not_found", "message_not_found"],
  },
} as const satisfies Record<string, Endpoint>;
