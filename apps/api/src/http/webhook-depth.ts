import { MAX_WEBHOOK_DEPTH, ParleyError, WEBHOOK_DEPTH_HEADER } from "@parley/schema";

/**
 * How many webhooks led to a request, by its header: 0 without one. Throws `invalid_request_error` for anything else than a number, and
 * once they are too many: a receiver that answers each event with a request would never end.
 */
export function readWebhookDepth(header: string | string[] | undefined): number {
  if (header === undefined) return 0;
  const depth = typeof header === "string" && /^\d{1,3}$/.test(header) ? Number(header) : undefined;
  if (depth !== undefined && depth <= MAX_WEBHOOK_DEPTH) return depth;
  const message =
    depth === undefined
      ? `must be a number from 0 to ${MAX_WEBHOOK_DEPTH}`
      : `${depth} webhooks led to this request, and ${MAX_WEBHOOK_DEPTH} may`;
  throw new ParleyError(
    "invalid_request_error",
    `Invalid request header: ${WEBHOOK_DEPTH_HEADER}: ${message}`,
  );
}
