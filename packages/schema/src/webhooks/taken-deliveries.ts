import * as z from "zod";
import { optional, Reference, text } from "../parsing/text.ts";
import { WebhookIdentity } from "./webhooks.ts";

/** Deliveries that one request takes at most: each may have an event of 256 KiB. */
export const MAX_TAKEN_DELIVERIES = 10;
/** Milliseconds for which one request waits for deliveries to take at most. */
export const MAX_TAKE_WAIT_MS = 25_000;
/** Bytes of an answer to a delivery that are kept. */
export const MAX_DELIVERY_ANSWER_BYTES = 4096;

const TakenOutcome = z.object({
  deliveryId: Reference.describe("Id of the delivery"),
  status: optional(z.int().min(100).max(599)).describe("Status of the answer; none without one"),
  error: optional(text(1024)).describe("Why there was no answer"),
  body: optional(text(MAX_DELIVERY_ANSWER_BYTES)).describe("Beginning of the answer"),
  durationMs: z.int().min(0).max(600_000).describe("How long the attempt took, in milliseconds"),
});

export const TakeDeliveries = WebhookIdentity.extend({
  outcomes: optional(z.array(TakenOutcome).max(MAX_TAKEN_DELIVERIES)).describe(
    "How deliveries that were taken before have ended: those with a 2xx have succeeded, the others have failed",
  ),
  waitMs: z
    .int()
    .min(0)
    .max(MAX_TAKE_WAIT_MS)
    .default(0)
    .describe("How long to wait for deliveries if none wait, in milliseconds; 0 by default"),
});
export type TakeDeliveries = z.output<typeof TakeDeliveries>;

/** A delivery as it would be sent. */
const TakenDelivery = z.object({
  sId: z.string().describe("Id of the delivery").meta({ example: "whd_0a1b2c3d4e5f60718293a4b5" }),
  event: z.string().describe("Name of the event").meta({ example: "message.succeeded" }),
  headers: z
    .record(z.string(), z.string())
    .describe("Headers to POST it with, with its signature")
    .meta({ example: { "webhook-id": "whd_0a1b2c3d4e5f60718293a4b5", "parley-depth": "1" } }),
  body: z.string().describe("Body to POST, byte for byte").meta({ example: "{}" }),
});

export const TakenDeliveries = z.object({
  deliveries: z
    .array(TakenDelivery)
    .describe("Deliveries that wait, oldest first, until their outcomes are given"),
});
export type TakenDeliveries = z.infer<typeof TakenDeliveries>;
