import { replaySuccess } from "../idempotency.ts";
import type { Implementations } from "../implementation.ts";
import { answerQuestion } from "./ask-user.ts";
import { listAllBlockedActions, listBlockedActions } from "./blocked-actions.ts";
import { requireAnswer } from "./decided-calls.ts";
import { sendToolOutputs } from "./send-outputs.ts";
import { validateAction } from "./validate-action.ts";

/** The endpoints that are implemented here. */
export const callImplementations = {
  "actions.listBlocked": listAllBlockedActions,
  "conversations.listBlockedActions": listBlockedActions,
  "messages.answerQuestion": { make: answerQuestion, replay: replaySuccess(requireAnswer) },
  "messages.sendToolOutputs": { make: sendToolOutputs, replay: replaySuccess(requireAnswer) },
  "messages.validateAction": { make: validateAction, replay: replaySuccess(requireAnswer) },
} satisfies Implementations;
