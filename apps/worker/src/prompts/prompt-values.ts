import { describeValues, renderInstructions } from "@parley/agent";
import type { HistoryRow, Turn } from "@parley/core";
import type { ValueName } from "@parley/schema";

/** The agent's instructions as its model gets them. */
export function instructionsOf({
  instructions,
  rendersInstructions,
}: Turn["agent"]): string | null {
  const renders = rendersInstructions && instructions !== null;
  return renders ? renderInstructions(instructions) : instructions;
}

/**
 * The values of the agent's instructions beside each message that it has answered or answers, by the messages' ids:
 * those of earlier turns stay as they were sent.
 */
export function valuesByMessage({
  agent: { instructions, rendersInstructions },
  message,
  history,
}: Pick<Turn, "agent" | "message" | "history">): ReadonlyMap<string, string> {
  const byMessage = new Map<string, string>();
  if (!rendersInstructions || instructions === null) return byMessage;
  const answers: Pick<HistoryRow, "parentMessageId" | "promptValues">[] = [...history, message];
  for (const { parentMessageId, promptValues } of answers) {
    if (parentMessageId === null || promptValues === null) continue;
    // As they were frozen.
    const frozen = JSON.parse(promptValues) as Partial<Record<ValueName, string>>;
    const values = describeValues(instructions, frozen);
    if (values !== undefined) byMessage.set(parentMessageId, values);
  }
  return byMessage;
}
