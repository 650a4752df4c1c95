import { WEBHOOK_DEPTH_HEADER, WEBHOOK_VERSION } from "@parley/schema";
import { Webhook } from "standardwebhooks";
import type { SecretServices } from "../workspaces/secret-box.ts";
import type { Delivery } from "./claim-deliveries.ts";
import { openWebhookSecret } from "./webhook-secrets.ts";

/** Why nothing is sent of a delivery. */
export interface DeliveryRefusal {
  readonly error: string;
  /** Why its webhook is switched off with it. */
  readonly disabledFor?: "key_revoked";
}

/** Why nothing may be sent of a delivery; undefined if it may be sent. */
export function refusalOf({ webhook, isReached }: Delivery): DeliveryRefusal | undefined {
  if (webhook.disabledFor !== null) return { error: "The webhook is switched off" };
  if (isReached === null) {
    return { error: "The key of the webhook is revoked", disabledFor: "key_revoked" };
  }
  return isReached ? undefined : { error: "The key of the webhook does not reach it any more" };
}

/** What is sent of a delivery. */
export interface ComposedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, the same in each attempt. */
  readonly body: string;
}

/**
 * Composes what is sent of a delivery at a time, signed as Standard Webhooks says: with two secrets for a while after a
 * rotation. Undefined if none of the server's keys decrypts them.
 */
export function composeDelivery(
  services: SecretServices,
  delivery: Delivery,
  { workspaceId, at }: { readonly workspaceId: string; readonly at: number },
): ComposedDelivery | undefined {
  const { webhook, sid, depth } = delivery;
  const { previousSecret, previousSecretUntil } = webhook;
  const isOverlapping = previousSecret !== null && at < (previousSecretUntil ?? 0);
  const stored = [webhook.secret, ...(isOverlapping ? [previousSecret] : [])];
  let secrets: string[];
  try {
    secrets = stored.map((one) => openWebhookSecret(services, webhook.sid, one));
  } catch {
    return undefined;
  }
  const body = renderPayload(workspaceId, delivery);
  const sent = new Date(at);
  return {
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Parley-Webhooks/1",
      "webhook-id": sid,
      "webhook-timestamp": String(Math.floor(at / 1000)),
      "webhook-signature": secrets
        .map((secret) => new Webhook(secret).sign(sid, sent, body))
        .join(" "),
      [WEBHOOK_DEPTH_HEADER]: String(depth),
    },
  };
}

/** The error of a delivery that cannot be composed. */
export const UNREADABLE_SECRET = "Its secret cannot be decrypted by this server's keys";

function renderPayload(workspaceId: string, delivery: Delivery): string {
  const { event: type, subject, content, createdAt } = delivery;
  const payload = {
    type,
    timestamp: new Date(createdAt).toISOString(),
    version: WEBHOOK_VERSION,
    data: {
      workspaceId,
      ...subject,
      // The log holds JSON of an object.
      ...(content !== null && { event: JSON.parse(content) as unknown }),
    },
  };
  return JSON.stringify(payload);
}
