import * as z from "zod";
import { AnyJson } from "../parsing/json.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { Milliseconds, optional, Reference, text } from "../parsing/text.ts";
import { TriggerIdentity } from "./triggers.ts";

export const TriggerEventStatus = z.enum(["waiting", "started", "ignored", "failed", "tried"]);
export type TriggerEventStatus = z.infer<typeof TriggerEventStatus>;

/** What an event has started, by its ids. */
export const StartedByEvent = z.object({
  conversationId: z.string().optional().describe("Id of the conversation").meta({
    example: "Kd82jXq0Pz",
  }),
  messageId: z.string().optional().describe("Id of the agent's message in it").meta({
    example: "Vn4tR9sWy1",
  }),
  functionId: z.string().optional().describe("Id or slug of the function").meta({
    example: "add",
  }),
  invocationId: z.string().optional().describe("Id of the invocation").meta({
    example: "sfi_Wk2Ve8Qa5T",
  }),
});
export type StartedByEvent = z.infer<typeof StartedByEvent>;

/** What was received for a trigger, without its body. */
export const TriggerEvent = z.object({
  sId: z.string().describe("Id of the event").meta({ example: "tre_Ab1Cd2Ef3G" }),
  triggerId: z.string().describe("Id of the trigger").meta({ example: "trg_Ue5Cs9Fi3K" }),
  status: TriggerEventStatus.describe(
    "`waiting`; then `started`, `ignored` by the filter, or `failed`. A sample is only `tried`",
  ),
  key: z
    .string()
    .nullable()
    .describe("What it is known by; null if nothing names it")
    .meta({ example: "72d3162e-cc78-11e3-81ab-4c9367dc0958" }),
  isSample: z.boolean().describe("Whether it only tries the trigger"),
  bytes: z.int().describe("Bytes of its body").meta({ example: 8213 }),
  createdAt: Milliseconds.describe("When it was received"),
  finishedAt: Milliseconds.nullable().describe("When it started something, or ended otherwise"),
  replays: z.int().describe("How often it was replayed").meta({ example: 0 }),
  started: StartedByEvent.nullable().describe("What it has started"),
  error: z.string().nullable().describe("Why it failed or was ignored").meta({ example: null }),
});
export type TriggerEvent = z.infer<typeof TriggerEvent>;

/** What was received for a trigger, as a whole. */
export const WholeTriggerEvent = TriggerEvent.extend({
  headers: z
    .record(z.string(), z.string())
    .nullable()
    .describe("Headers of the request, without credentials; null once only its key is kept")
    .meta({ example: { "x-github-event": "issues" } }),
  body: z
    .string()
    .nullable()
    .describe("Body of the request, as it came; null once only its key is kept")
    .meta({ example: '{"action":"opened"}' }),
  message: z
    .string()
    .nullable()
    .describe(
      "What was made of it: the message of a user, or the JSON of an input; its first 64 KiB",
    )
    .meta({ example: "A new issue: It does not start" }),
});
export type WholeTriggerEvent = z.infer<typeof WholeTriggerEvent>;

export const ListTriggerEvents = TriggerIdentity.extend({
  status: optional(TriggerEventStatus).describe("Only events with this status"),
  ...pageByNumber("Events", 20),
});
export type ListTriggerEvents = z.output<typeof ListTriggerEvents>;

export const TriggerEventPage = z.object({
  events: z.array(TriggerEvent).describe("Events, newest first"),
  ...pageEnd,
});
export type TriggerEventPage = z.infer<typeof TriggerEventPage>;

export const TriggerEventIdentity = TriggerIdentity.extend({
  eventId: Reference.describe("Id of the event").meta({ example: "tre_Ab1Cd2Ef3G" }),
});
export type TriggerEventIdentity = z.output<typeof TriggerEventIdentity>;

export const OneTriggerEvent = z.object({ event: WholeTriggerEvent.describe("The event") });

export const ReplayTriggerEvents = TriggerIdentity.extend({
  eventIds: optional(z.array(Reference).min(1).max(100)).describe(
    "Events that have ended, to start again what they start; every failed one by default",
  ),
});
export type ReplayTriggerEvents = z.output<typeof ReplayTriggerEvents>;

export const QueuedTriggerEvents = z.object({
  queued: z.int().describe("Events that start again").meta({ example: 3 }),
  hasMore: z
    .boolean()
    .describe("Whether there are more than one request takes: send it again for these"),
});
export type QueuedTriggerEvents = z.infer<typeof QueuedTriggerEvents>;

export const TestTrigger = TriggerIdentity.extend({
  body: AnyJson.describe("Body of the sample").meta({ example: { action: "opened" } }),
  headers: optional(
    z
      .record(text(128, 1), text(1024))
      .refine((headers) => Object.keys(headers).length <= 50, { error: "must be at most 50" }),
  )
    .describe("Headers of the sample; none by default")
    .meta({ example: { "X-GitHub-Event": "issues" } }),
});
export type TestTrigger = z.output<typeof TestTrigger>;
