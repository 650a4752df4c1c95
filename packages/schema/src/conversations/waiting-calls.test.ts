import { describe, expect, it } from "vitest";
import type { MessageEvent } from "./message-events.ts";
import { waitingOf } from "./waiting-calls.ts";

describe("waitingOf", () => {
  it.each([
    ["tool_approve_execution", "approval", "blocked_validation_required"],
    ["tool_ask_user_question", "question", "blocked_user_answer_required"],
    ["tool_personal_auth_required", "permission", "blocked_authentication_required"],
  ])("says what %s asks", (type, kind, status) => {
    const event = { type, actionId: "act_1" } as MessageEvent;
    expect(waitingOf(event)).toEqual({ kind, status, call: event });
  });

  it.each(["tool_params", "agent_message_success", "tool_of_the_future"])(
    "says of %s that nobody is asked",
    (type) => {
      expect(waitingOf({ type } as MessageEvent)).toBeUndefined();
    },
  );
});
