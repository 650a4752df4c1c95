/** The rows that a trace is derived from. Times are milliseconds since the epoch. */
import type { DecidedCall, StoredAttempt, StoredStep } from "@parley/db";
import type { ModelPair, SpanText } from "@parley/schema";
import type { RunRow } from "../data-access/rows.ts";

/** A run, whatever it is of. */
export interface TracedRun {
  readonly logId: string;
  readonly status: RunRow["status"];
  readonly outcome: RunRow["outcome"];
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** Number of the last attempt; 0 if none has begun. */
  readonly attempt: number;
  readonly attempts: readonly StoredAttempt[] | null;
}

/** Why something failed. */
interface TracedError {
  readonly code: string;
  readonly message: string;
}

/** An invocation of a function. */
export interface TracedInvocation {
  readonly run: TracedRun;
  readonly name: string;
  /** Null for the invocation of a call, which has it as its parameters. */
  readonly input: SpanText | null;
  readonly result: SpanText | null;
  readonly error: TracedError | null;
}

/** A tool call of an answer. */
export interface TracedCall {
  readonly sid: string;
  readonly step: number;
  readonly toolName: string;
  readonly functionCallName: string;
  readonly mcpServerId: string | null;
  readonly status: string;
  readonly params: SpanText;
  readonly output: SpanText | null;
  readonly decision: string | null;
  readonly decided: DecidedCall | null;
  readonly executionDurationMs: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly invocation: TracedInvocation | null;
  /** The answer to its task, if it asks another agent and tasks are read. */
  readonly task?: TracedAnswer | undefined;
}

/** A summary that the end of an answer started. */
export interface TracedSummary {
  readonly run: TracedRun;
  readonly model: ModelPair;
  readonly steps: readonly StoredStep[];
  readonly error: TracedError | null;
}

/** An answer of an agent. */
export interface TracedAnswer {
  readonly run: TracedRun;
  readonly name: string;
  /** The model that it asks first. */
  readonly model: ModelPair;
  readonly steps: readonly StoredStep[];
  readonly error: TracedError | null;
  /** In the order in which the model made them. */
  readonly calls: readonly TracedCall[];
  /** Names of the tools that its application runs. */
  readonly applicationTools: readonly string[];
  readonly summaries: readonly TracedSummary[];
}

/** What a trace is of. */
export type Traced =
  | ({ readonly kind: "answer" } & TracedAnswer)
  | ({ readonly kind: "invocation" } & TracedInvocation)
  | ({ readonly kind: "compaction" } & TracedSummary);

/** What readers may see of it. */
export interface TraceView {
  /** Currency of the costs; undefined if the reader may not see them. */
  readonly currency: string | undefined;
  /** The provider's own words, if the reader may see them. */
  readonly providerWords: string | undefined;
  /** The `traceparent` of the request that created the run. */
  readonly traceparent: string | null;
}
