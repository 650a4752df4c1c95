import type { StepRecord } from "@parley/agent";
import type { MessageEvent } from "@parley/schema";

type Fallback = Extract<MessageEvent, { type: "agent_message_fallback" }>;

/** Says which model answered a step in place of the agent's own, and which gave way; nothing of the agent's own. */
export function fallbackEvents(
  { now, ...ids }: Pick<Fallback, "configurationId" | "messageId"> & { readonly now: () => number },
  { step, model, passedOver = [] }: StepRecord,
): Fallback[] {
  if (model === undefined) return [];
  const gaveWay = passedOver.map((one) => ({ ...one.model, reason: one.reason }));
  const of = { created: now(), ...ids, step };
  return [{ type: "agent_message_fallback", ...of, ...model, passedOver: gaveWay }];
}
