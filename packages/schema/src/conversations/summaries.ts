import * as z from "zod";
import { get, post } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { ConversationParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { fromQuery, Milliseconds, optional, Reference } from "../parsing/text.ts";
import { TokenCounts } from "../usage/token-counts.ts";

const tokens = z.int().describe("As the provider counted them, of all calls of the model");
const position = z.int().nullable();

export const SummaryStatus = z.enum(["pending", "active", "undone", "failed"]);

/** A summary of the oldest messages of a conversation, which agents' prompts have in place of them. */
export const HistorySummary = z.object({
  number: z.int().describe("Its number in the conversation").meta({ example: 1 }),
  runId: z.string().describe("Id of its run").meta({ example: "sum_Pq4Wd7Xc2N" }),
  status: SummaryStatus.describe(
    "`pending` while it is written, `active` while prompts have it, `undone`, or `failed`",
  ).meta({ example: "active" }),
  fromRank: position.describe("First position that it replaces").meta({ example: 0 }),
  toRank: position.describe("Last position that it replaces").meta({ example: 87 }),
  containsNumber: z
    .int()
    .nullable()
    .describe("The earlier summary that it contains, with what that one replaces")
    .meta({ example: null }),
  text: z
    .string()
    .nullable()
    .describe("What the model wrote; null while it is written and if it failed")
    .meta({ example: "Ann asked for the invoices of May; INV-2024-0193 is still open." }),
  carried: z
    .array(
      z.object({
        kind: z.enum(["task", "url", "file", "id", "quantity"]).describe("What it is"),
        text: z.string().describe("As it stands in a message"),
      }),
    )
    .describe(
      "What a program has copied from the replaced messages; prompts have it after the text",
    )
    .meta({ example: [{ kind: "id", text: "INV-2024-0193" }] }),
  model: z
    .object({
      providerId: z.string().describe("Provider"),
      modelId: z.string().describe("Model"),
    })
    .describe("The model that wrote it")
    .meta({ example: { providerId: "openai", modelId: "gpt-5" } }),
  inputTokens: tokens.meta({ example: 48_120 }),
  outputTokens: tokens.meta({ example: 610 }),
  cachedInputTokens: TokenCounts.shape.cachedInputTokens.meta({ example: 0 }),
  cacheWriteTokens: TokenCounts.shape.cacheWriteTokens,
  reasoningTokens: TokenCounts.shape.reasoningTokens.meta({ example: 0 }),
  error: z
    .object({
      code: z.string().describe("Stable code"),
      message: z.string().describe("What failed"),
    })
    .nullable()
    .describe("Why there is none; the oldest messages then leave prompts that are too long")
    .meta({ example: null }),
  createdAt: Milliseconds.describe("When it was started"),
  finishedAt: Milliseconds.nullable().describe("When it ended"),
  undoneAt: Milliseconds.nullable().describe("When it was undone").meta({ example: null }),
  undoneBy: z
    .string()
    .nullable()
    .describe("The user who has undone it; null if a message that it replaces was changed")
    .meta({ example: null }),
});
export type HistorySummary = z.infer<typeof HistorySummary>;

export const SummaryPage = z.object({
  summaries: z.array(HistorySummary).describe("Summaries, newest first"),
  ...pageEnd,
});
export type SummaryPage = z.infer<typeof SummaryPage>;

/** Body of a new summary. */
export const CreateSummary = z.object({
  agentId: Reference.describe("Id of the agent whose model writes it").meta({ example: "helper" }),
  blocking: optional(z.boolean()).describe(
    "Whether the answer waits until it is written, at most 180 seconds; false by default",
  ),
});
export type CreateSummary = z.output<typeof CreateSummary>;

/** Query of the summaries of a conversation. */
export const ListSummaries = z.object(pageByNumber("Summaries", 20));
export type ListSummaries = z.output<typeof ListSummaries>;

export const SummaryParams = ConversationParams.extend({
  number: fromQuery(
    z
      .int()
      .min(1)
      .max(2 ** 31 - 1),
  )
    .describe("Number of the summary")
    .meta({ example: 1 }),
});

/** Body of a change of a summary. */
export const UpdateSummary = z.object({
  active: z
    .boolean()
    .describe("false to undo it: prompts have the messages again; true to take it back")
    .meta({ example: false }),
});
export type UpdateSummary = z.output<typeof UpdateSummary>;

const summaries = "/api/v1/w/{wId}/assistant/conversations/{cId}/summaries";

/** Operations on the summaries of conversations. */
export const summaryEndpoints = {
  "summaries.list": {
    ...get,
    tags: ["conversations"],
    scope: "conversations:read",
    summary: "List the summaries of a conversation's oldest messages",
    path: summaries,
    params: ConversationParams,
    query: ListSummaries,
    output: SummaryPage,
    errors: ["conversation_not_found"],
  },
  "summaries.create": {
    ...post,
    tags: ["conversations"],
    scope: "conversations:write",
    summary: "Summarise what a conversation has said so far",
    path: summaries,
    params: ConversationParams,
    body: CreateSummary,
    output: HistorySummary,
    errors: [
      "conversation_not_found",
      "agent_not_found",
      "model_disabled",
      "version_conflict",
      "budget_exceeded",
    ],
  },
  "summaries.update": {
    ...get,
    tags: ["conversations"],
    scope: "conversations:write",
    storesLittle: true,
    summary: "Undo a summary, or take it back",
    method: "PATCH",
    path: `${summaries}/{number}`,
    params: SummaryParams,
    body: UpdateSummary,
    output: HistorySummary,
    errors: ["conversation_not_found", "summary_not_found"],
    subject: ["cId", "number", "active"],
  },
} as const satisfies Record<string, Endpoint>;
