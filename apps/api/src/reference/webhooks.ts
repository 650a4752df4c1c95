import { webhookEventNames, webhookEvents, webhookPayload } from "@parley/schema";
import type * as z from "zod";
import type { Models } from "./models.ts";

const partOf = (name: string): string => `webhooks.${name}.payload`;

/** What is delivered for each event, as parts of the document. */
export const webhookParts: Readonly<Record<string, z.ZodType>> = Object.fromEntries(
  webhookEventNames.map((name) => [partOf(name), webhookPayload(name)]),
);

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});
const parameters = [
  header("webhook-id", "Id of the delivery, the same in each of its attempts"),
  header("webhook-timestamp", "When it was sent, in seconds since the epoch"),
  header("webhook-signature", "Signatures by Standard Webhooks, one for each secret that counts"),
];

/** The requests that Parley sends to webhooks, one for each event. */
export function describeWebhooks(models: Models): Record<string, object> {
  return Object.fromEntries(
    webhookEventNames.map((name) => [
      name,
      {
        post: {
          operationId: `webhooks.${name}`,
          summary: webhookEvents[name].summary,
          tags: ["webhooks"],
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { "application/json": { schema: models.shapeOf(partOf(name)) } },
          },
          responses: {
            "2XX": { description: "The event was taken" },
            410: { description: "The webhook is switched off" },
            default: { description: "It is sent again later" },
          },
        },
      },
    ]),
  );
}
