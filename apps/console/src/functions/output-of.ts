import type { InvocationEvent, InvocationOutcome } from "parley-client";
import type { NumberedEvent } from "../ui/use-events.ts";

/** The output of an invocation so far. */
export interface Output {
  /** Log lines, each with its line break. */
  readonly lines: readonly string[];
  readonly progress: { done: number; total: number; label: string } | undefined;
  readonly outcome: InvocationOutcome | undefined;
}

/** Combines the events of an invocation. */
export function outputOf(events: readonly NumberedEvent<InvocationEvent>[]): Output {
  const lines: string[] = [];
  let progress: Output["progress"];
  let outcome: Output["outcome"];
  for (const { event } of events) {
    switch (event.type) {
      case "sandbox_function_invocation_log":
        lines.push(event.text.endsWith("\n") ? event.text : `${event.text}\n`);
        break;
      case "sandbox_function_invocation_progress":
        progress = event;
        break;
      case "sandbox_function_invocation_result":
        outcome = { status: "succeeded", result: event.result };
        break;
      case "sandbox_function_invocation_error":
        outcome = { status: "errored", error: event.error };
        break;
      case "sandbox_function_invocation_created":
        break;
      default:
        // A newer server may send others.
        event satisfies never;
    }
  }
  return { lines, progress, outcome };
}
