import type { Output } from "parley-client";

export type Webhook = Output<"webhooks.get">["webhook"];
export type Delivery = Output<"webhooks.listDeliveries">["deliveries"][number];

/** The states of a delivery. */
export const deliveryStatuses = [
  "waiting",
  "succeeded",
  "failed",
] as const satisfies readonly Delivery["status"][];

/** Why a webhook is off, in words after "It is switched off:". */
export const reasons: Readonly<Record<NonNullable<Webhook["disabledFor"]>, string>> = {
  request: "by an admin",
  gone: "its server answered 410, which means that it is gone",
  failing: "every delivery has failed for days",
  key_revoked: "the key that it acts for was revoked",
  overflow: "too many deliveries waited for it",
};

/** What the last attempt of a delivery was answered, or why it was not; undefined before the first one. */
export function lastAnswerOf({ attempts }: Pick<Delivery, "attempts">): string | undefined {
  const last = attempts.at(-1);
  if (last === undefined) return undefined;
  return last.status === null ? (last.error ?? "no answer") : String(last.status);
}
