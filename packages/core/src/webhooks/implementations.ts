import type { Implementations } from "../implementation.ts";
import { listDeliveries, redeliver, replayWebhook, testWebhook } from "./deliveries.ts";
import { takeDeliveries } from "./take-deliveries.ts";
import {
  createWebhook,
  getWebhook,
  listWebhooks,
  removeWebhook,
  rotateWebhookSecret,
  updateWebhook,
} from "./webhooks.ts";

/** The endpoints that are implemented here. */
export const webhookImplementations = {
  "webhooks.create": createWebhook,
  "webhooks.get": getWebhook,
  "webhooks.list": listWebhooks,
  "webhooks.listDeliveries": listDeliveries,
  "webhooks.redeliver": redeliver,
  "webhooks.remove": removeWebhook,
  "webhooks.replay": replayWebhook,
  "webhooks.rotateSecret": rotateWebhookSecret,
  "webhooks.take": takeDeliveries,
  "webhooks.test": testWebhook,
  "webhooks.update": updateWebhook,
} satisfies Implementations;
