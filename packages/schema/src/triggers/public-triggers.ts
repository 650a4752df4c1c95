import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { fromQuery, Milliseconds, optional, Reference } from "../parsing/text.ts";

const PublicTriggerKind = z.enum(["schedule", "webhook"]);
const PublicTriggerStatus = z.enum(["enabled", "disabled"]);

/** What starts an agent, as the public interface shows it. */
export const PublicTrigger = z.object({
  id: z.int().describe("Number of the trigger").meta({ example: 12 }),
  sId: z.string().describe("Id of the trigger").meta({ example: "trg_Ue5Cs9Fi3K" }),
  name: z.string().describe("Its name").meta({ example: "New issues" }),
  agentConfigurationId: z.string().describe("Id of the agent that it starts").meta({
    example: "helper",
  }),
  customPrompt: z
    .string()
    .nullable()
    .describe("What the message is made by; null if it is the event itself")
    .meta({ example: null }),
  status: PublicTriggerStatus.describe("Whether it is on"),
  createdAt: Milliseconds.describe("When it was created"),
  naturalLanguageDescription: z
    .string()
    .nullable()
    .describe("What it is for")
    .meta({ example: null }),
  executionMode: z.literal("programmatic").describe("Always programmatic: it acts for a key"),
  kind: PublicTriggerKind.describe("What starts it"),
  configuration: z
    .record(z.string(), z.unknown())
    .describe("`cron` and `timezone` of a schedule; `includePayload` of a webhook")
    .meta({ example: { includePayload: true } }),
  webhookSource: z
    .object({
      name: z.string().describe("Name of the source").meta({ example: "New issues" }),
      provider: z.string().nullable().describe("Provider of the source").meta({
        example: "github",
      }),
    })
    .nullish()
    .describe("Where its events come from; only of webhooks"),
});
export type PublicTrigger = z.infer<typeof PublicTrigger>;

export const ListPublicTriggers = z.object({
  kind: optional(PublicTriggerKind).describe("Only those of this kind"),
  status: optional(PublicTriggerStatus)
    .transform((status) => status ?? "enabled")
    .describe("Only those with this status; enabled by default"),
  agent: optional(Reference).describe("Only those that start this agent").meta({
    example: "helper",
  }),
  limit: optional(fromQuery(z.int().min(1).max(100)))
    .transform((limit) => limit ?? 100)
    .describe("Triggers of a page, 1 to 100; 100 by default")
    .meta({ example: 100 }),
  offset: optional(fromQuery(z.int().min(0).max(1_000_000)))
    .transform((offset) => offset ?? 0)
    .describe("Triggers before the page; none by default")
    .meta({ example: 0 }),
});
export type ListPublicTriggers = z.output<typeof ListPublicTriggers>;

export const PublicTriggerParams = WorkspaceParams.extend({
  tId: Reference.describe("Id of the trigger").meta({ example: "trg_Ue5Cs9Fi3K" }),
});
