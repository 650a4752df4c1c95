import type { Output } from "parley-client";

export type Trigger = Output<"triggers.read">["trigger"];
export type TriggerEvent = Output<"triggers.listEvents">["events"][number];

/** The states of an event. */
export const eventStatuses = [
  "waiting",
  "started",
  "ignored",
  "failed",
  "tried",
] as const satisfies readonly TriggerEvent["status"][];

/** The types of sources, as people know them. */
export const sourceNames: Readonly<Record<Trigger["source"]["type"], string>> = {
  github: "GitHub",
  slack: "Slack",
  standard_webhooks: "Standard Webhooks",
  stripe: "Stripe",
  hmac: "HMAC in a header",
  url: "Secret in the URL",
};

/** Why a trigger is off. */
export const reasons: Readonly<Record<NonNullable<Trigger["disabledFor"]>, string>> = {
  request: "switched off by hand",
  key_revoked: "the key that it acts for was revoked",
};

/** What a trigger starts. */
export function startsOf({ agent, function: invoked }: Trigger): string {
  if (agent !== null) return `Agent ${agent.agentId}`;
  return `Function ${invoked?.functionId ?? ""}`;
}
