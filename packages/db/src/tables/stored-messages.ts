import type { ContentNode } from "@parley/schema";
import type { ModelPair } from "./agents.ts";

/** A part of a prompt that a model was not given as it was sent, and why. */
export interface PromptNote {
  readonly code: string;
  readonly fileId: string | null;
  readonly title: string;
  readonly message: string;
}

/** Tokens of a step, as its provider counts them. */
interface StoredUsage {
  /** All tokens of the prompt, cached ones included. */
  readonly inputTokens: number | null;
  /** All tokens that the model wrote, reasoning included. */
  readonly outputTokens: number | null;
  /** Tokens of the prompt that the provider read from its cache, and that it wrote to it. */
  readonly cachedInputTokens?: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  /** What they cost when they were counted, in dollars as a decimal number; left out if the model had no price. */
  readonly amount?: string;
}

/** Measurements of a step of a turn. */
export interface StoredStep extends StoredUsage {
  readonly step: number;
  readonly durationMs: number;
  // Rows from before have none of the next three.
  /** When it began, in milliseconds since the epoch; the attempt that made it; and how long its first token took. */
  readonly startedAt?: number;
  readonly attempt?: number;
  readonly firstTokenMs?: number;
  /** The model that answered, if it is not the configured one. */
  readonly model?: ModelPair;
  /** The models that gave way to it, and what their calls were billed. */
  readonly passedOver?: readonly (Partial<StoredUsage> & {
    readonly model: ModelPair;
    readonly reason: string;
  })[];
  /** Calls that failed before their first token and were made again after a pause. */
  readonly retries?: readonly {
    readonly at: number;
    readonly pauseMs: number;
    readonly code: string;
    readonly message: string;
  }[];
  readonly replay?: unknown;
  /** What it wrote instead of its text, of an answer in a format, and why that was not accepted. */
  readonly held?: { readonly text: string; readonly fault?: string | undefined } | undefined;
}

/** A content fragment without its text: of a file, or of a node as it was when added. */
export interface StoredFragment {
  readonly title: string;
  readonly contentType: string;
  readonly fileId: string | null;
  readonly sourceUrl: string | null;
  /** Size of the file in bytes, if its content is text. */
  readonly textBytes?: number | null;
  readonly node?: ContentNode;
  /** Members of the request that have no effect, but that responses repeat. */
  readonly sent?: {
    readonly path?: string;
    readonly processedPath?: string;
    readonly skipFileProcessing?: boolean;
  };
}

/** Who has decided about a call, and when. */
export interface DecidedCall {
  readonly by: string;
  readonly at: number;
  /** The parameters that the agent proposed, if the decision changed them. */
  readonly proposed?: Readonly<Record<string, unknown>>;
  /** Hash of the output that an application has sent for a call of its own tool. */
  readonly digest?: string;
}
