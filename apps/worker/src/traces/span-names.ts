/**
 * Names of spans and of their attributes: Parley's own, which stay as they are, or those of the GenAI semantic conventions
 * of OpenTelemetry, which are experimental and therefore asked for (`OTEL_SEMCONV_STABILITY_OPT_IN`).
 */
import type { Span } from "@parley/schema";

/** What the attributes of spans are. */
export interface SpanNaming {
  /** Whether the GenAI semantic conventions are followed where they have a name. */
  readonly isGenAi: boolean;
  /** Whether parameters, results and the words of errors are among them. */
  readonly sendsContent: boolean;
}

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** The names of services of models in OpenTelemetry's registry, where they differ from Parley's. */
const providerNames: Readonly<Record<string, string>> = {
  google: "gcp.gemini",
  mistral: "mistral_ai",
  xai: "x_ai",
};

type Given = Readonly<Record<string, string | number | boolean | undefined>>;

const known = (given: Given): SpanAttributes =>
  Object.fromEntries(
    Object.entries(given).filter(
      (entry): entry is [string, string | number | boolean] => entry[1] !== undefined,
    ),
  );

/** The name of a span: with few values, as its kind, its model or its tool. */
export function nameOf(span: Span, { isGenAi }: Pick<SpanNaming, "isGenAi">): string {
  if (isGenAi && span.kind === "answer") return `invoke_agent ${span.name}`;
  if (isGenAi && span.kind === "step" && span.model) return `chat ${span.model.modelId}`;
  if (isGenAi && span.kind === "call") return `execute_tool ${span.toolName ?? span.name}`;
  const detail: Partial<Record<Span["kind"], string | undefined>> = {
    answer: span.name,
    invocation: span.name,
    step: span.model?.modelId,
    call: span.toolName,
    wait: span.waitsFor,
  };
  return [span.kind, detail[span.kind]].filter(Boolean).join(" ");
}

const genAiOperations: Partial<Record<Span["kind"], string>> = {
  answer: "invoke_agent",
  step: "chat",
  call: "execute_tool",
};

function genAiAttributes(span: Span, { sendsContent }: SpanNaming): Given {
  const { kind, model, tokens } = span;
  const operation = genAiOperations[kind];
  if (operation === undefined) return {};
  return {
    "gen_ai.operation.name": operation,
    "gen_ai.agent.name": kind === "answer" ? span.name : undefined,
    "gen_ai.provider.name": model && (providerNames[model.providerId] ?? model.providerId),
    "gen_ai.request.model": model?.modelId,
    "gen_ai.response.model": model?.modelId,
    "gen_ai.usage.input_tokens": tokens?.inputTokens,
    "gen_ai.usage.output_tokens": tokens?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": tokens?.cachedInputTokens,
    "gen_ai.usage.cache_creation.input_tokens": tokens?.cacheWriteTokens,
    "gen_ai.tool.name": span.toolName,
    "gen_ai.tool.type": kind === "call" ? "function" : undefined,
    "gen_ai.tool.call.id": span.actionId,
    ...(sendsContent && {
      "gen_ai.tool.call.arguments": kind === "call" ? span.params?.text : undefined,
      "gen_ai.tool.call.result": kind === "call" ? span.output?.text : undefined,
    }),
  };
}

function ownAttributes(span: Span, { sendsContent }: SpanNaming): Given {
  const { tokens, cost } = span;
  return {
    "parley.agent.name": span.kind === "answer" ? span.name : undefined,
    "parley.model.provider": span.model?.providerId,
    "parley.model.id": span.model?.modelId,
    "parley.usage.input_tokens": tokens?.inputTokens,
    "parley.usage.output_tokens": tokens?.outputTokens,
    "parley.usage.cached_input_tokens": tokens?.cachedInputTokens,
    "parley.usage.cache_write_tokens": tokens?.cacheWriteTokens,
    "parley.usage.reasoning_tokens": tokens?.reasoningTokens,
    "parley.cost.amount": cost?.amount,
    "parley.cost.currency": cost?.currency,
    "parley.tool.name": span.toolName,
    "parley.action.id": span.actionId,
    ...(sendsContent && { "parley.params": span.params?.text, "parley.output": span.output?.text }),
  };
}

/** The attributes of a span of a run. */
export function attributesOf(span: Span, runId: string, naming: SpanNaming): SpanAttributes {
  const own = ownAttributes(span, naming);
  return known({
    "parley.span.kind": span.kind,
    "parley.run.id": runId,
    "parley.attempt": span.attempt,
    "parley.step": span.step,
    "parley.waits_for": span.waitsFor,
    "parley.first_token_ms": span.firstTokenMs,
    "parley.invocation.id": span.invocationId,
    ...own,
    ...(naming.isGenAi && genAiAttributes(span, naming)),
    ...(span.status === "cancelled" && { "parley.cancelled": true }),
    "error.type": span.error?.code,
  });
}
