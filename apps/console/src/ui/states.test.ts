import { expect, test } from "vitest";
import { stateOf, wordOf } from "./states.ts";

test.each([
  ["blocked_validation_required", "Needs approval", "warn"],
  ["blocked_user_answer_required", "Needs an answer", "warn"],
  ["blocked_authentication_required", "Needs permission", "warn"],
  ["blocked", "Needs attention", "warn"],
  ["errored", "Failed", "bad"],
  ["failed", "Failed", "bad"],
  ["waiting", "Queued", "accent"],
])("%s is shown as %s", (name, word, tone) => {
  expect(stateOf(name)).toEqual({ word, tone });
});

test("a state of a newer server is shown as it is", () => {
  expect(stateOf("paused_by_owner")).toEqual({ word: "paused_by_owner", tone: "neutral" });
  expect(stateOf("toString")).toEqual({ word: "toString", tone: "neutral" });
  expect(wordOf("blocked")).toBe("Needs attention");
});
