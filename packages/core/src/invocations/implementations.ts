import type { Implementations } from "../implementation.ts";
import { callToolByHand, replayToolCall } from "./call-tool.ts";
import { cancelInvocation } from "./cancel-invocation.ts";
import { findInvocationStream, invokeSandboxFunction, replayInvocation } from "./invoke.ts";
import { getInvocation, listInvocations } from "./read-invocations.ts";

/** The endpoints that are implemented here. */
export const invocationImplementations = {
  "invocations.cancel": { make: cancelInvocation, replay: getInvocation },
  "invocations.get": getInvocation,
  "invocations.list": listInvocations,
  "sandboxFunctions.events": findInvocationStream,
  "sandboxFunctions.invoke": { make: invokeSandboxFunction, replay: replayInvocation },
  "tools.invoke": { make: callToolByHand, replay: replayToolCall },
} satisfies Implementations;
