import * as z from "zod";
import { pageEnd, pageQuery, placeLike } from "../parsing/page.ts";
import { AgentMessageStatus } from "./messages.ts";
import { TokenCounts } from "../usage/token-counts.ts";

const sums = {
  steps: z.int().describe("Model calls").meta({ example: 1 }),
  ...TokenCounts.shape,
  modelDurationMs: z.int().describe("Time of the model calls").meta({ example: 900 }),
  toolCalls: z.int().describe("Calls of tools").meta({ example: 0 }),
  toolDurationMs: z.int().describe("Time of the tool calls").meta({ example: 0 }),
};

/** What the calls of models cost, by the prices of their time. */
export const Cost = z.object({
  amount: z
    .string()
    .describe("As a decimal number, rounded up for each call by less than a billionth")
    .meta({ example: "0.0123" }),
  currency: z.string().describe("Currency of the workspace").meta({ example: "USD" }),
  unpricedCalls: z
    .int()
    .describe("Calls that are not in the amount, as their models had no known price"),
});

export type Cost = z.infer<typeof Cost>;

const cost = {
  cost: Cost.optional().describe(
    "What it cost, for builders and admins; absent if no provider has counted tokens",
  ),
};

const agent = z.string().describe("Id of the agent").meta({ example: "helper" });
const model = {
  providerId: z.string().describe("Provider of the model").meta({ example: "simulated" }),
  modelId: z.string().describe("Model that answered").meta({ example: "simulated-1" }),
};
const answers = z.int().describe("Answers, all versions").meta({ example: 1 });

/** Query of the consumption of a conversation. */
export const ReadConsumption = z.object(
  pageQuery("Answers", { defaultLimit: 100, place: placeLike(/^\d{1,9}\.\d{1,9}$/) }),
);
export type ReadConsumption = z.output<typeof ReadConsumption>;

/** What the answers of a conversation, and the summaries of its oldest messages, took. */
export const Consumption = z.object({
  total: z
    .object({ answers, ...sums, ...cost })
    .describe("Of the whole conversation, summaries of its oldest messages included"),
  summaries: z
    .object({ summaries: z.int().describe("Summaries, failed ones too"), ...sums, ...cost })
    .optional()
    .describe("Of the summaries alone, if there are any; agents and models have their shares"),
  agents: z
    .array(z.object({ agentConfigurationId: agent, answers, ...sums, ...cost }))
    .describe("Of each agent, by its id"),
  models: z
    .array(z.object({ ...model, answers, ...sums, ...cost }))
    .describe("Of each model, by its name"),
  messages: z
    .array(
      z.object({
        messageId: z.string().describe("Id of the answer").meta({ example: "Vn4tR9sWy1" }),
        version: z.int().describe("Its version, from 0").meta({ example: 0 }),
        status: AgentMessageStatus.meta({
          description: "Status of the answer",
          example: "succeeded",
        }),
        agentConfigurationId: agent,
        ...model,
        ...sums,
        ...cost,
        fallbacks: z
          .array(z.object({ ...model, steps: z.int().describe("Steps that it answered") }))
          .optional()
          .describe("Models that answered steps in place of the agent's own, if any"),
      }),
    )
    .describe("Of each answer, by position and version, a page of them"),
  ...pageEnd,
});
export type Consumption = z.infer<typeof Consumption>;
