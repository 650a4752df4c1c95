/** What of a prompt is kept or left out together: a message, or one with calls and the results after it. */
import { type PromptMessage, textOf } from "./prompt-parts.ts";

export type PromptUnit = readonly [PromptMessage, ...PromptMessage[]];

/** Tokens of a message, a tool, a call or a result besides its text: its role and delimiters. */
export const PART_TOKENS = 8;

/** The units of messages, in their order. */
export function unitsOf(messages: readonly PromptMessage[]): PromptUnit[] {
  const units: [PromptMessage, ...PromptMessage[]][] = [];
  for (const message of messages) {
    const last = units.at(-1);
    if (message.role === "tool" && last !== undefined) last.push(message);
    else units.push([message]);
  }
  return units;
}

/** The text of a unit as it is counted: with names of tools, and what providers get back. */
export function textOfUnit(unit: PromptUnit): string {
  return unit.map(countedText).join("");
}

function countedText(message: PromptMessage): string {
  const { replay } = message as { replay?: unknown };
  const names = message.parts.map((part) => (part.type === "call" ? part.name : "")).join("");
  return textOf(message) + names + (replay === undefined ? "" : JSON.stringify(replay));
}

/** Tokens of a unit besides its text. */
export function overheadOf(unit: PromptUnit): number {
  return unit.reduce((sum, { parts }) => sum + PART_TOKENS * Math.max(1, parts.length), 0);
}

/**
 * The newest units without answers whose questions were left out: services refuse calls at the beginning. The
 * last unit always stays.
 */
export function fromQuestion(newest: readonly PromptUnit[]): readonly PromptUnit[] {
  const start = newest.findIndex(
    ([first], index) => first.role !== "assistant" || index === newest.length - 1,
  );
  return newest.slice(Math.max(0, start));
}
