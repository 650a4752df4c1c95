import type { ModelService } from "@parley/schema";
import { setTimeout as sleep } from "node:timers/promises";
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { meterCall } from "../call-meter.ts";
import { messagesOfSteps } from "../prompt.ts";
import { filesOf, openEach } from "../prompt-files.ts";
import type { StepPart, StepRequest, ToolCall } from "../provider.ts";
import type { ServiceAccess } from "./access.ts";
import { addAnswerFormat } from "./answer-format.ts";
import { withCache } from "./cache-breakpoints.ts";
import { fromSentName, toCallOptions } from "./call-options.ts";
import {
  explainError,
  failure,
  isOutage,
  isRefusedUnbilled,
  type StepFailure,
} from "./failures.ts";
import { openModel } from "./open-model.ts";
import { FailedStep, readStep } from "./read-step.ts";
import { asServiceTakes } from "./sent-calls.ts";
import { findSentFiles } from "./sent-request.ts";

/** Ends a call when the service sends nothing while the consumer waits for it. */
interface SilenceWatch {
  /** Starts to count silence: the consumer waits. */
  wait(): void;
  /** Stops counting: a part came, and its consumer may take its time. */
  heard(): void;
  end(): void;
}

/** Creates a watch that calls `onSilence` after `idleMs` without a part while the consumer waits. */
export function watchSilence(idleMs: number, onSilence: () => void): SilenceWatch {
  let waits = false;
  // Parts that came while the process was blocked are read first.
  const look = () => void (waits && setImmediate(() => waits && onSilence()));
  const timer = setTimeout(look, idleMs);
  return {
    wait: () => {
      waits = true;
      timer.refresh();
    },
    heard: () => void (waits = false),
    end: () => {
      waits = false;
      clearTimeout(timer);
    },
  };
}

/** What nobody has seen of a step, so that it may be repeated. */
const unpublished: readonly StepPart["type"][] = ["usage", "unreadable_usage", "finish"];

/** Bounds of a call of a model. */
export interface CallLimits {
  /** How long the service may be silent. */
  readonly idleMs: number;
  /** How long a call may take in all. */
  readonly callMs: number;
  /** How often a call that failed before its first token is retried. */
  readonly maxRetries: number;
  /** Longest pause that the service may ask for. */
  readonly maxRetryAfterMs: number;
  /** Pause before the first retry, with jitter; it doubles for each further one. */
  readonly firstRetryMs: number;
}

interface Service {
  readonly id: ModelService;
  readonly access: ServiceAccess;
  readonly limits: CallLimits;
}

/**
 * Streams a step of a service's model. A call that fails before its first token is retried, with
 * growing pauses; any other failure is the last part. Throws only when the signal aborts. That ends
 * the HTTP call at once, and so does a consumer that stops early.
 */
export async function* streamServiceStep(
  service: Service,
  request: StepRequest,
): AsyncGenerator<StepPart, void, undefined> {
  const limits = request.hasFallback === true ? beforeFallback(service.limits) : service.limits;
  const apiKey = request.apiKey ?? service.access.apiKey;
  for (let attempt = 0; ; attempt++) {
    let failed: StepFailure;
    let hasPublished = false;
    try {
      const parts = meterCall(service.id, { ...request, apiKey }, (metered) =>
        callModel(service, metered),
      );
      for await (const part of parts) {
        hasPublished ||= !unpublished.includes(part.type);
        yield part.type === "call" ? { ...part, call: rename(part.call, request.tools) } : part;
      }
      return;
    } catch (error) {
      request.signal.throwIfAborted();
      failed = error instanceof FailedStep ? error.failure : explainError(error, apiKey);
    }
    const pauseMs = planRetry(failed, attempt, limits);
    if (hasPublished || pauseMs === undefined) {
      const { code, cause, providerError } = failed;
      const said = { code, message: `${failed.message} (${service.id})`, cause, providerError };
      yield { type: "error", ...said, isOutage: isOutage(failed) };
      return;
    }
    const { code, message } = failed;
    yield { type: "retry", code, message: `${message} (${service.id})`, pauseMs };
    await sleep(pauseMs, undefined, { signal: request.signal });
  }
}

/** Another model answers sooner than one that is overloaded or down. */
const MAX_RETRIES_BEFORE_FALLBACK = 1;
const MAX_RETRY_AFTER_BEFORE_FALLBACK_MS = 2000;

/** The bounds of a call after whose failure another model is asked. */
function beforeFallback({ maxRetries, maxRetryAfterMs, ...limits }: CallLimits): CallLimits {
  return {
    ...limits,
    maxRetries: Math.min(maxRetries, MAX_RETRIES_BEFORE_FALLBACK),
    maxRetryAfterMs: Math.min(maxRetryAfterMs, MAX_RETRY_AFTER_BEFORE_FALLBACK_MS),
  };
}

function rename(call: ToolCall, tools: StepRequest["tools"]): ToolCall {
  return { ...call, name: fromSentName(call.name, tools) };
}

/** How long to wait before the next attempt; undefined for none. */
export function planRetry(
  { isRetryable, retryAfterMs }: Pick<StepFailure, "isRetryable" | "retryAfterMs">,
  attempt: number,
  { maxRetries, maxRetryAfterMs, firstRetryMs }: CallLimits,
): number | undefined {
  if (!isRetryable || attempt >= maxRetries) return undefined;
  if (retryAfterMs !== undefined && retryAfterMs > maxRetryAfterMs) return undefined;
  const backoffMs = firstRetryMs * 2 ** attempt * (0.5 + Math.random() / 2);
  return Math.max(backoffMs, retryAfterMs ?? 0);
}

async function* callModel(
  { id, access: { baseUrl }, limits }: Service,
  request: StepRequest,
): AsyncGenerator<StepPart, void, undefined> {
  const { modelId, apiKey, signal } = request;
  const call = new AbortController();
  const stop = () => call.abort(signal.reason);
  signal.addEventListener("abort", stop, { once: true });
  const tooLong = new DOMException("The provider took too long", "TimeoutError");
  const silence = watchSilence(limits.idleMs, () => call.abort(tooLong));
  const end = setTimeout(() => call.abort(tooLong), limits.callMs);
  let headers: Record<string, string> | undefined;
  let reported: { readonly error: unknown } | undefined;
  try {
    signal.throwIfAborted();
    let isUnreadable = false;
    const onUnreadableUsage = () => void (isUnreadable = true);
    const open = async (onBody: (body: string) => void) =>
      openModel(id, modelId, { apiKey, baseUrl, onUnreadableUsage, onBody });
    const sent = await sendStep(open, { id, request, abortSignal: call.signal, silence });
    headers = sent.headers;
    yield* readStep(noteActivity(sent.stream, silence), {
      hasUnreadable: () => isUnreadable,
      onError: (error) => void (reported ??= { error }),
    });
  } catch (error) {
    if (isRefusedUnbilled(error)) request.onRefused?.();
    // It may leave the connection open.
    if (reported !== undefined) {
      throw new FailedStep(explainError(reported.error, apiKey, headers));
    }
    if (call.signal.reason === tooLong) throw new FailedStep(failure("timed_out"));
    if (error instanceof FailedStep) throw error;
    throw new FailedStep(explainError(error, apiKey, headers));
  } finally {
    silence.end();
    clearTimeout(end);
    signal.removeEventListener("abort", stop);
    call.abort();
  }
}

/** Sends a step. Its files are in memory until the service answers, or less long. */
async function sendStep(
  openModelFor: (onBody: (body: string) => void) => Promise<LanguageModelV4>,
  sent: { id: ModelService; request: StepRequest; abortSignal: AbortSignal; silence: SilenceWatch },
) {
  const { id, request, abortSignal, silence } = sent;
  const open = request.openFiles ?? openEach;
  const wanted = filesOf([...request.prompt, ...messagesOfSteps(request)]);
  const files = await open(wanted, abortSignal);
  try {
    const { modelId, onSent } = request;
    const model = await openModelFor((body) => {
      onSent?.(
        { providerId: id, modelId, body, files: findSentFiles(body, wanted, files) },
        request,
      );
    });
    const given = addAnswerFormat(toCallOptions(request, { service: id, ...files }), id, request);
    const taken = { ...given, prompt: asServiceTakes(id, given.prompt) };
    const options = { ...withCache(taken, id, request.cacheScope), abortSignal };
    silence.wait();
    const { stream, response } = await model.doStream(options);
    return { stream, headers: response?.headers };
  } finally {
    files.release();
  }
}

/** Passes on a stream while the silence before each part is watched. */
async function* noteActivity(
  stream: ReadableStream<LanguageModelV4StreamPart>,
  silence: SilenceWatch,
): AsyncGenerator<LanguageModelV4StreamPart, void, undefined> {
  const reader = stream.getReader();
  for (;;) {
    silence.wait();
    const { done, value } = await reader.read();
    silence.heard();
    if (done) return;
    yield value;
  }
}
