import type { MessageEvent } from "@parley/schema";
import { expect, test } from "vitest";
import { readAnswerLines } from "./event-lines.ts";

const event = (given: object): MessageEvent => given as MessageEvent;
const token = (text: string, classification = "tokens"): MessageEvent =>
  event({ type: "generation_tokens", text, classification });
const linesOf = (...events: MessageEvent[]): string[] => {
  const lines = readAnswerLines();
  return events.flatMap((one) => lines.add(one));
};
const success = event({ type: "agent_message_success", message: {} });

test("text is printed in its own lines, however it was cut into tokens, and reasoning is not", () => {
  const said = linesOf(
    token("Hmm", "chain_of_thought"),
    token("One"),
    token(" line\n\nand "),
    token("another"),
    success,
  );
  expect(said).toEqual(["One line", "and another", "answered"]);
});

test("what happens between two texts comes between them", () => {
  const action = { functionCallName: "refund", params: { orderId: "1042" }, status: "succeeded" };
  const said = linesOf(
    token("Let me see"),
    event({ type: "tool_params", action }),
    event({ type: "agent_action_success", action }),
    token("Done."),
    event({ type: "agent_error", error: { code: "interrupted", message: "gone" } }),
  );
  expect(said).toEqual([
    "Let me see",
    'calls refund {"orderId":"1042"}',
    "called refund",
    "Done.",
    "interrupted: gone",
  ]);
});

test("a text without an end of line is not held for ever", () => {
  const lines = readAnswerLines();
  const said = Array.from({ length: 50 }, () => lines.add(token("x".repeat(100)))).flat();
  expect(said.length).toBeGreaterThan(3);
  expect(Math.max(...said.map((line) => line.length))).toBeLessThanOrEqual(1100);
});
