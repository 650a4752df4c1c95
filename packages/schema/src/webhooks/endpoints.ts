import * as z from "zod";
import { administer, administered } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { TakeDeliveries, TakenDeliveries } from "./taken-deliveries.ts";
import {
  AdministeredWebhook,
  CreateWebhook,
  DeliveryPage,
  ListDeliveries,
  QueuedDeliveries,
  RedeliverWebhook,
  ReplayedDeliveries,
  ReplayWebhook,
  RotateWebhookSecret,
  TestWebhook,
  UpdateWebhook,
  VersionedWebhook,
  Webhook,
  WebhookIdentity,
  WebhookWithSecret,
} from "./webhooks.ts";

const ofWebhook = {
  subject: ["webhookId"],
  errors: ["workspace_not_found", "webhook_not_found"],
} as const;
/** Of what only a builder that edits the agents may set. */
const ofAgents = "app_auth_error";
const place = `${administered}/webhooks` as const;

/** Operations on the webhooks of a workspace, and on their deliveries. */
export const webhookEndpoints = {
  "webhooks.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: place,
      input: WorkspaceParams.extend(pageByNumber("Webhooks")),
    }),
    summary: "List the webhooks of the workspace",
    output: z.object({
      webhooks: z.array(Webhook).describe("Webhooks, oldest first"),
      ...pageEnd,
    }),
  },
  "webhooks.create": {
    ...administer({ role: "builder", method: "POST", path: place, input: CreateWebhook }),
    summary: "Create a webhook, and show its secret",
    subject: [],
    errors: ["workspace_not_found", ofAgents],
    output: WebhookWithSecret,
  },
  "webhooks.get": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{webhookId}`,
      input: WebhookIdentity,
    }),
    summary: "Read a webhook",
    output: AdministeredWebhook,
    errors: ofWebhook.errors,
  },
  "webhooks.update": {
    ...administer({
      role: "builder",
      method: "PATCH",
      path: `${place}/{webhookId}`,
      input: UpdateWebhook,
    }),
    ...ofWebhook,
    errors: [...ofWebhook.errors, ofAgents, "version_conflict"],
    storesLittle: true,
    summary: "Change a webhook, or switch it on or off",
    output: AdministeredWebhook,
  },
  "webhooks.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${place}/{webhookId}`,
      input: VersionedWebhook,
    }),
    ...ofWebhook,
    errors: [...ofWebhook.errors, "version_conflict"],
    summary: "Remove a webhook with its deliveries",
    output: Success,
  },
  "webhooks.rotateSecret": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{webhookId}/rotate-secret`,
      input: RotateWebhookSecret,
    }),
    ...ofWebhook,
    storesLittle: true,
    summary: "Give a webhook a new secret, beside which the old one signs for a while",
    output: WebhookWithSecret,
  },
  "webhooks.test": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{webhookId}/test`,
      input: TestWebhook,
    }),
    ...ofWebhook,
    storesLittle: true,
    summary: "Send a webhook a sample of an event",
    output: QueuedDeliveries,
  },
  "webhooks.listDeliveries": {
    ...administer({
      role: "builder",
      method: "GET",
      path: `${place}/{webhookId}/deliveries`,
      input: ListDeliveries,
    }),
    summary: "List the deliveries of a webhook, newest first",
    output: DeliveryPage,
    errors: ofWebhook.errors,
  },
  // Not audited: it settles deliveries, as a worker does, and is called for as long as somebody listens.
  "webhooks.take": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{webhookId}/take`,
      input: TakeDeliveries,
    }),
    storesLittle: true,
    summary:
      "Take the deliveries of a webhook that are not sent, and say how those before have ended",
    output: TakenDeliveries,
    errors: ofWebhook.errors,
  },
  "webhooks.redeliver": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{webhookId}/redeliver`,
      input: RedeliverWebhook,
    }),
    ...ofWebhook,
    storesLittle: true,
    summary: "Send deliveries again that have ended: some, or all that have failed",
    output: QueuedDeliveries,
  },
  "webhooks.replay": {
    ...administer({
      role: "builder",
      method: "POST",
      path: `${place}/{webhookId}/replay`,
      input: ReplayWebhook,
    }),
    ...ofWebhook,
    storesLittle: true,
    summary: "Send a webhook what has happened since a time, without what it was told already",
    output: ReplayedDeliveries,
  },
} as const satisfies Record<string, Endpoint>;
