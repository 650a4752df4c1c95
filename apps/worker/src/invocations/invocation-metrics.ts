import type { InvocationErrorCode, StoredProgram } from "@parley/schema";
import { Counter, Histogram, type Registry } from "prom-client";

/** How an invocation ended; a `tool_error` is what a tool answered in place of a result. */
export type InvocationEnd = "succeeded" | "tool_error" | InvocationErrorCode;

/** Metrics of the invocations that a worker ends. */
export interface InvocationMetrics {
  /** Counts an end; without a duration if this worker has not executed it. */
  ended(program: StoredProgram, outcome: InvocationEnd, durationMs: number | undefined): void;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/** What invocations call, of each type of program that is not a sandbox function. */
const tools: Partial<Record<StoredProgram["type"], string>> = { mcp: "tool", client: "client" };

/** Registers the metrics of invocations. */
export function createInvocationMetrics(registry: Registry): InvocationMetrics {
  const kinds =
    "function (a sandbox function), tool (of a remote MCP server), client (a tool in one)";
  const ends = new Counter({
    name: "parley_invocations_ended_total",
    help:
      `Invocations that this worker ended, by what they call: ${kinds}. outcome: succeeded, ` +
      "tool_error (the tool answered with an error), or the code of the invocation's error",
    labelNames: ["program", "outcome"],
    registers: [registry],
  });
  const duration = new Histogram({
    name: "parley_invocation_duration_seconds",
    help: "Duration of the invocations that this worker executed and ended, by what they call",
    labelNames: ["program"],
    buckets: BUCKETS,
    registers: [registry],
  });
  return {
    ended: ({ type }, outcome, durationMs) => {
      const program = tools[type] ?? "function";
      ends.inc({ program, outcome });
      if (durationMs !== undefined) duration.observe({ program }, durationMs / 1000);
    },
  };
}
