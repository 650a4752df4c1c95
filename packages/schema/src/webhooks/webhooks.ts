import * as z from "zod";
import { WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { fromQuery, Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { Time } from "../parsing/times.ts";
import { WebhookEventName } from "./webhook-events.ts";

/** Webhooks of a workspace at most: what happens looks at all of them. */
export const MAX_WEBHOOKS = 50;
/** Deliveries of a webhook that wait at most: past them, it is switched off. */
export const MAX_WAITING_DELIVERIES = 100_000;
/** Deliveries of a webhook that have ended and are kept at most. */
export const MAX_ENDED_DELIVERIES = 10_000;
/** Says of a delivery, and of a request that follows from one, how many webhooks led to it. */
export const WEBHOOK_DEPTH_HEADER = "parley-depth";
/** Webhooks that may lead to a request at most. */
export const MAX_WEBHOOK_DEPTH = 8;
/** Seconds for which an earlier secret may sign beside the new one. */
const MAX_OVERLAP_SECONDS = 7 * 24 * 60 * 60;
const DEFAULT_OVERLAP_SECONDS = 24 * 60 * 60;

const WebhookUrl = text(2048, 1).refine((value) => {
  const url = URL.parse(value);
  return (
    url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
  );
}, "must be an https URL without a user and a password");

const events = z
  .array(WebhookEventName)
  .min(1)
  .max(WebhookEventName.options.length)
  .describe("Names of the events that it is told of")
  .meta({ example: ["message.succeeded", "message.failed"] });
const only = (what: string) =>
  optional(z.array(Reference).min(1).max(100)).describe(`Only events about these ${what}`);

const settings = {
  url: WebhookUrl.describe("Where events are sent, with POST").meta({
    example: "https://shop.example/parley-events",
  }),
  events,
  description: text(1024).default("").describe("What it is for").meta({ example: "The shop" }),
  conversationIds: only("conversations").meta({ example: null }),
  agentIds: only("agents").meta({ example: null }),
  functionIds: only("functions").meta({ example: null }),
  sendsContent: z
    .boolean()
    .default(false)
    .describe("Whether the event itself is sent, not only its ids; false by default"),
  isOrdered: z
    .boolean()
    .default(false)
    .describe(
      "Whether what happens in a conversation is delivered in its order, each event when the one before was " +
        "delivered or given up; false by default",
    ),
  includesTasks: z
    .boolean()
    .default(false)
    .describe("Whether it is told of the tasks that agents give to others; false by default"),
};

export const WebhookDisabledFor = z
  .enum(["request", "gone", "failing", "key_revoked", "overflow"])
  .describe(
    "Why it is off: an admin switched it off (`request`), its server answered 410 (`gone`), every delivery has failed " +
      "for days (`failing`), the key that it acts for was revoked (`key_revoked`), or too many deliveries waited (`overflow`)",
  );
export type WebhookDisabledFor = z.infer<typeof WebhookDisabledFor>;

/** A webhook, without its secret. */
export const Webhook = z.object({
  sId: z.string().describe("Id of the webhook").meta({ example: "whk_Ue5Cs9Fi3K" }),
  url: z.string().describe("Where events are sent").meta({
    example: "https://shop.example/parley-events",
  }),
  description: z.string().describe("What it is for").meta({ example: "The shop" }),
  events: z.array(z.string()).describe("Names of the events that it is told of"),
  conversationIds: z
    .array(z.string())
    .nullable()
    .describe("Only these conversations; null for any"),
  agentIds: z.array(z.string()).nullable().describe("Only these agents; null for any"),
  functionIds: z.array(z.string()).nullable().describe("Only these functions; null for any"),
  sendsContent: z.boolean().describe("Whether the event itself is sent with its ids"),
  isOrdered: z.boolean().describe("Whether a conversation's events are delivered in their order"),
  includesTasks: z
    .boolean()
    .describe("Whether it is told of the tasks that agents give to others")
    .meta({ example: false }),
  isPulled: z
    .boolean()
    .describe("Whether deliveries wait until they are taken, instead of being sent to the URL")
    .meta({ example: false }),
  disabledFor: WebhookDisabledFor.nullable()
    .describe("Why it is off; null while it is on")
    .meta({ example: null }),
  disabledAt: Milliseconds.nullable().describe("When it was switched off").meta({ example: null }),
  failingSince: Milliseconds.nullable()
    .describe("Since when every delivery has failed; null if the last one succeeded")
    .meta({ example: null }),
  previousSecretUntil: Milliseconds.nullable()
    .describe("Until when deliveries are also signed with the secret before the last rotation")
    .meta({ example: null }),
  version: z.int().describe("Version, required for changes").meta({ example: 0 }),
  createdAt: Milliseconds.describe("When it was created"),
  updatedAt: Milliseconds.describe("When it was last changed"),
});
export type Webhook = z.infer<typeof Webhook>;

export const AdministeredWebhook = z.object({ webhook: Webhook.describe("The webhook") });
export const WebhookWithSecret = AdministeredWebhook.extend({
  secret: z
    .string()
    .describe("Secret that its deliveries are signed with, shown only now")
    .meta({ example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" }),
});
export type WebhookWithSecret = z.infer<typeof WebhookWithSecret>;

export const CreateWebhook = WorkspaceParams.extend({
  ...settings,
  isPulled: z
    .boolean()
    .default(false)
    .describe(
      "Whether deliveries wait until they are taken, for a program that no server reaches, instead of being sent to the " +
        "URL; false by default. Such a webhook is removed once nobody has taken any for a day",
    ),
});
export type CreateWebhook = z.output<typeof CreateWebhook>;

const webhookId = Reference.describe("Id of the webhook").meta({ example: "whk_Ue5Cs9Fi3K" });
export const WebhookIdentity = WorkspaceParams.extend({ webhookId });
export type WebhookIdentity = z.output<typeof WebhookIdentity>;

const version = fromQuery(z.int().min(0))
  .describe("Version that the change is based on")
  .meta({ example: 0 });
export const VersionedWebhook = WebhookIdentity.extend({ version });
export type VersionedWebhook = z.output<typeof VersionedWebhook>;

const filter = (what: string) =>
  z
    .array(Reference)
    .min(1)
    .max(100)
    .nullish()
    .describe(`Only events about these ${what}; null for any`)
    .meta({ example: null });

export const UpdateWebhook = VersionedWebhook.extend({
  url: optional(settings.url)
    .describe("Where events are sent, with POST")
    .meta({ example: "https://shop.example/parley-events" }),
  events: optional(events).describe("Names of the events that it is told of"),
  description: optional(text(1024)).describe("What it is for").meta({ example: "The shop" }),
  conversationIds: filter("conversations"),
  agentIds: filter("agents"),
  functionIds: filter("functions"),
  sendsContent: optional(z.boolean()).describe(
    "Whether the event itself is sent, not only its ids",
  ),
  isOrdered: optional(z.boolean()).describe(
    "Whether what happens in a conversation is delivered in its order",
  ),
  includesTasks: optional(z.boolean()).describe(
    "Whether it is told of the tasks that agents give to others",
  ),
  isEnabled: optional(z.boolean()).describe("Switches it on or off"),
});
export type UpdateWebhook = z.output<typeof UpdateWebhook>;

export const RotateWebhookSecret = WebhookIdentity.extend({
  overlapSeconds: z
    .int()
    .min(0)
    .max(MAX_OVERLAP_SECONDS)
    .default(DEFAULT_OVERLAP_SECONDS)
    .describe("How long deliveries are signed with both secrets; a day by default"),
});
export type RotateWebhookSecret = z.output<typeof RotateWebhookSecret>;

export const TestWebhook = WebhookIdentity.extend({
  event: optional(WebhookEventName)
    .describe("Event to send a sample of; the first of the webhook by default")
    .meta({ example: "message.succeeded" }),
});
export type TestWebhook = z.output<typeof TestWebhook>;

export const DeliveryStatus = z.enum(["waiting", "succeeded", "failed"]);
export type DeliveryStatus = z.infer<typeof DeliveryStatus>;

const DeliveryAttempt = z.object({
  at: Milliseconds.describe("When it began"),
  durationMs: z.int().describe("How long it took, in milliseconds").meta({ example: 120 }),
  status: z
    .int()
    .nullable()
    .describe("Status of the answer; null without one")
    .meta({ example: 200 }),
  error: z.string().nullable().describe("Why it counts as failed").meta({ example: null }),
});

/** What one webhook is told of one event. */
export const WebhookDelivery = z.object({
  sId: z
    .string()
    .describe("Id of the delivery: the header `webhook-id` of each attempt")
    .meta({ example: "whd_0a1b2c3d4e5f60718293a4b5" }),
  webhookId: z.string().describe("Id of the webhook").meta({ example: "whk_Ue5Cs9Fi3K" }),
  event: z.string().describe("Name of the event").meta({ example: "message.succeeded" }),
  status: DeliveryStatus.describe(
    "`waiting` for its first or next attempt, `succeeded`, or `failed` when no attempt is left",
  ),
  data: z.record(z.string(), z.unknown()).describe("Ids of what it is about"),
  createdAt: Milliseconds.describe("When it happened"),
  nextAttemptAt: Milliseconds.nullable()
    .describe("When it is tried again, if it is")
    .meta({ example: null }),
  finishedAt: Milliseconds.nullable().describe("When it was delivered or given up"),
  attempts: z.array(DeliveryAttempt).describe("Attempts, oldest first"),
  responseBody: z
    .string()
    .nullable()
    .describe("Beginning of the last answer, at most 4 KiB")
    .meta({ example: "" }),
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

export const ListDeliveries = WebhookIdentity.extend({
  status: optional(DeliveryStatus).describe("Only deliveries with this status"),
  event: optional(WebhookEventName).describe("Only deliveries of this event"),
  ...pageByNumber("Deliveries", 20),
});
export type ListDeliveries = z.output<typeof ListDeliveries>;

export const DeliveryPage = z.object({
  deliveries: z.array(WebhookDelivery).describe("Deliveries, newest first"),
  ...pageEnd,
});
export type DeliveryPage = z.infer<typeof DeliveryPage>;

export const RedeliverWebhook = WebhookIdentity.extend({
  deliveryIds: optional(z.array(Reference).min(1).max(100)).describe(
    "Deliveries that have ended, to send again; every failed one by default",
  ),
});
export type RedeliverWebhook = z.output<typeof RedeliverWebhook>;

export const ReplayWebhook = WebhookIdentity.extend({
  from: Time.describe("Events at or after this time are sent").meta({
    example: 1_780_000_000_000,
  }),
  to: optional(Time).describe("Only those before this time; now by default"),
});
export type ReplayWebhook = z.output<typeof ReplayWebhook>;

export const QueuedDeliveries = z.object({
  queued: z.int().describe("Deliveries that will be sent").meta({ example: 3 }),
  hasMore: z
    .boolean()
    .describe("Whether there are more than one request takes: send it again for these"),
});
export type QueuedDeliveries = z.infer<typeof QueuedDeliveries>;

export const ReplayedDeliveries = z.object({
  queued: z.int().describe("Deliveries that will be sent").meta({ example: 3 }),
  continueFrom: Milliseconds.nullable()
    .describe("`from` of the next request, if there is more than one takes")
    .meta({ example: null }),
});
export type ReplayedDeliveries = z.infer<typeof ReplayedDeliveries>;
