import type { ReactNode } from "react";
import { StatusBadge } from "../ui/badge.tsx";
import { JsonTree } from "../ui/json-tree.tsx";
import { formatDuration, formatNumber, Time } from "../ui/time.tsx";
import { formatCost } from "../ui/tokens.ts";
import { endOf, type Span, tokensPerSecond } from "./spans.ts";

interface SpanDetailProps {
  readonly span: Span;
  readonly now: number;
  /** What is shown of a model call besides, such as its request. */
  readonly extra?: ReactNode;
}

/** All that is known of a span. */
export function SpanDetail({ span, now, extra }: SpanDetailProps) {
  const { error, params, output } = span;
  return (
    <section aria-label={`Details of ${span.name}`} className="grid content-start gap-3 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium">{span.name}</span>
        <StatusBadge status={stateNameOf(span)} />
      </p>
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1">
        {factsOf(span, now).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {error && (
        <div role="note" className="grid gap-1 rounded-md bg-bad-soft px-3 py-2 text-bad">
          <p>
            <code className="font-mono">{error.code}</code> {error.message}
          </p>
          {error.provider !== undefined && (
            <p className="break-words whitespace-pre-wrap">
              The provider's message: {error.provider}
            </p>
          )}
        </div>
      )}
      {params && <SpanText label={span.kind === "call" ? "Parameters" : "Input"} {...params} />}
      {output && <SpanText label="Result" {...output} />}
      {extra}
    </section>
  );
}

/** A wait that goes on is one of somebody, or for a worker. */
function stateNameOf({ kind, status }: Span): string {
  if (status !== "running") return status;
  if (kind === "wait") return "blocked";
  return kind === "queue" || kind === "backoff" ? "waiting" : status;
}

interface SpanTextProps {
  readonly label: string;
  readonly text: string;
  readonly isCut: boolean;
}

function SpanText({ label, text, isCut }: SpanTextProps) {
  return (
    <div className="grid min-w-0 gap-1">
      <p className="text-muted">
        {label}
        {isCut && " (only the beginning)"}
      </p>
      <JsonTree label={label} text={text} />
    </div>
  );
}

type Fact = readonly [name: string, value: ReactNode];

function factsOf(span: Span, now: number): Fact[] {
  const { startedAt, model, passedOver = [], firstTokenMs, tokens, cost, invocationId } = span;
  const perSecond = tokensPerSecond(span);
  const counts = tokens && [
    ["Input tokens", tokens.inputTokens],
    ["Cached input", tokens.cachedInputTokens],
    ["Written to the cache", tokens.cacheWriteTokens],
    ["Output tokens", tokens.outputTokens],
    ["Reasoning tokens", tokens.reasoningTokens],
  ];
  const given: readonly (Fact | undefined)[] = [
    ["Started", <Time key="at" at={startedAt} isPrecise />],
    ["Duration", formatDuration(endOf(span, now) - startedAt)],
    model && ["Model", `${model.providerId}/${model.modelId}`],
    ...passedOver.map(({ providerId, modelId, reason }): Fact => [
      "Did not answer",
      `${providerId}/${modelId} (${reason})`,
    ]),
    firstTokenMs === undefined ? undefined : ["First token", formatDuration(firstTokenMs)],
    perSecond === undefined
      ? undefined
      : ["Tokens per second", formatNumber(Math.round(perSecond))],
    ...(counts ?? []).map(([name, count]): Fact => [String(name), formatNumber(Number(count))]),
    cost && ["Cost", formatCost(cost)],
    invocationId === undefined ? undefined : ["Invocation", <code key="id">{invocationId}</code>],
  ];
  return given.filter((fact) => fact !== undefined);
}
