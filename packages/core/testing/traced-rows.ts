/** Rows of runs that traces are derived from, which began at 1000. */
import type { StoredStep } from "@parley/db";
import type {
  TracedAnswer,
  TracedCall,
  TracedInvocation,
  TracedRun,
} from "../src/traces/traced-rows.ts";

/** A run that one attempt has ended. */
export const tracedRun = (changed: Partial<TracedRun> = {}): TracedRun => ({
  logId: "msg1",
  status: "finished",
  outcome: "succeeded",
  createdAt: 1000,
  startedAt: 1100,
  finishedAt: 2000,
  attempt: 1,
  attempts: null,
  ...changed,
});

/** A step that began at a time, in the first attempt. */
export const tracedStep = (changed: Partial<StoredStep> = {}): StoredStep => ({
  step: 0,
  startedAt: 1150,
  attempt: 1,
  durationMs: 800,
  firstTokenMs: 300,
  inputTokens: 20,
  outputTokens: 10,
  amount: "0.002",
  ...changed,
});

/** A call of the first step, which its turn has run. */
export const tracedCall = (changed: Partial<TracedCall> = {}): TracedCall => ({
  sid: "act1",
  step: 0,
  toolName: "weather",
  functionCallName: "weather",
  mcpServerId: null,
  status: "succeeded",
  params: { text: "{}", isCut: false },
  output: { text: "[]", isCut: false },
  decision: null,
  decided: null,
  executionDurationMs: null,
  createdAt: 1950,
  updatedAt: 1950,
  invocation: null,
  ...changed,
});

/** An invocation that a call has started. */
export const tracedInvocation = (changed: Partial<TracedRun> = {}): TracedInvocation => ({
  run: tracedRun({ logId: "sfi1", ...changed }),
  name: "weather",
  input: null,
  result: null,
  error: null,
});

/** An answer of one step. */
export const tracedAnswer = (
  changed: Partial<TracedAnswer> = {},
): TracedAnswer & { kind: "answer" } => ({
  kind: "answer",
  run: tracedRun(),
  name: "Helper",
  model: { providerId: "openai", modelId: "gpt-5" },
  steps: [tracedStep()],
  error: null,
  calls: [],
  applicationTools: [],
  summaries: [],
  ...changed,
});
