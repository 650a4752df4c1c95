import { APICallError } from "@ai-sdk/provider";

/** Why a step failed, under a code that stays. */
export interface StepFailure {
  readonly code:
    | "provider_auth_error"
    | "provider_rate_limited"
    | "context_too_long"
    | "content_filtered"
    | "provider_unavailable"
    | "provider_error"
    | "output_too_large"
    | "timed_out";
  readonly message: string;
  /** Whether the same call may go well later. */
  readonly isRetryable: boolean;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** What the service said, for the log: neither the prompt nor the credential is in it. */
  readonly cause?: Error | undefined;
}

const MAX_REASON_CHARACTERS = 500;

const messages = {
  provider_auth_error: "The model's provider refused the credential",
  provider_rate_limited: "The model's provider takes no more calls at the moment",
  context_too_long: "The conversation is too long for the model",
  content_filtered: "The model's provider withheld the answer",
  provider_unavailable: "The model's provider could not be reached, or broke off",
  provider_error: "The model's provider refused the call",
  output_too_large: "The model's answer is too long",
  timed_out: "The model's provider was silent for too long",
} satisfies Record<StepFailure["code"], string>;

/** A failure of this code, with the message that everybody gets to read. */
export function failure(
  code: StepFailure["code"],
  parts: Partial<Omit<StepFailure, "code" | "message">> = {},
): StepFailure {
  return { code, message: messages[code], isRetryable: false, ...parts };
}

const tooLong =
  /context[_ ](?:length|window)|maximum context|prompt is too long|too large for model|request_too_large|maximum number of tokens|input token count/i;
const filtered = /content_filter|content_policy|content management policy|blocked by .*safety/i;
const badKey = /api_key_invalid|api key not valid|authentication_error|invalid_api_key/i;
const noMoney = /insufficient_quota|insufficient balance|credit balance|billing/i;
const busy = /rate_limit|resource_exhausted|too many requests/i;

/**
 * Says what an error of the AI SDK means. What the service wrote goes to the log alone, cut short and
 * without `secret`.
 */
export function explainError(error: unknown, secret: string | undefined): StepFailure {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const said = describe(error);
  const cause = new Error(redact(`${status ?? "No answer"}: ${said}`, secret));
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const retryAfterMs = readRetryAfter(headers);
  if (status === 401 || status === 403 || badKey.test(said)) {
    return failure("provider_auth_error", { cause });
  }
  if (status === 402 || noMoney.test(said)) return failure("provider_rate_limited", { cause });
  if (status === 413 || tooLong.test(said)) return failure("context_too_long", { cause });
  if (filtered.test(said)) return failure("content_filtered", { cause });
  const again = { cause, isRetryable: true, retryAfterMs };
  if (status === 429 || busy.test(said)) return failure("provider_rate_limited", again);
  if (status === 408 || status === 409 || (status !== undefined && status >= 500)) {
    return failure("provider_unavailable", again);
  }
  // Without a status, the connection broke, or what came could not be read.
  if (status === undefined || status < 300) return failure("provider_unavailable", again);
  return failure("provider_error", { cause });
}

/** The seconds or the date of `Retry-After`, or OpenAI's milliseconds. */
function readRetryAfter(headers: Record<string, string> | undefined): number | undefined {
  const milliseconds = Number(headers?.["retry-after-ms"] || Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const value = headers?.["retry-after"];
  if (value === undefined) return undefined;
  const seconds = Number(value);
  if (seconds >= 0) return seconds * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}

function describe(error: unknown): string {
  if (APICallError.isInstance(error)) return `${error.message} ${error.responseBody ?? ""}`.trim();
  if (error instanceof Error) {
    const { cause } = error;
    return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
  }
  return typeof error === "string" ? error : JSON.stringify(error);
}

function redact(text: string, secret: string | undefined): string {
  const cut = secret ? text.replaceAll(secret, "***") : text;
  // Also keys that are not this one: services quote parts of what they were sent.
  return cut.replaceAll(/\b(?:sk|key|AIza)[-_\w*]{8,}/g, "***").slice(0, MAX_REASON_CHARACTERS);
}
