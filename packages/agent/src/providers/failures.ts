import { APICallError } from "@ai-sdk/provider";
import { MAX_PROVIDER_MESSAGE_BYTES, type ProviderError, toStorable } from "@parley/schema";
import { hideSecrets } from "@parley/guarded-fetch";

/** Why a step failed, with a stable code. */
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
  /** Whether the same call may succeed later. */
  readonly isRetryable: boolean;
  /** Whether the service is up and has refused the call, though the same call may succeed later. */
  readonly isRefusal?: boolean | undefined;
  /** Pause that the service asks for. */
  readonly retryAfterMs?: number | undefined;
  /** The service's own error for the log, without the prompt and the credential. */
  readonly cause?: Error | undefined;
  /** What the service itself said. */
  readonly providerError?: ProviderError | undefined;
}

/**
 * Whether the service is overloaded, down or silent, so that another one may answer instead. It is not if it has
 * refused the call: with a status of 4xx other than 408 and 429, or for an account without credit.
 */
export function isOutage({ code, isRetryable, isRefusal }: StepFailure): boolean {
  if (code === "provider_rate_limited") return isRetryable;
  return code === "timed_out" || (code === "provider_unavailable" && isRefusal !== true);
}

/** Statuses of answers that may come from before the service, which may then have worked on the call. */
const OF_GATEWAYS: readonly (number | undefined)[] = [408, 502, 504];

/** Whether the service has answered the request with an error, so that it bills nothing. */
export function isRefusedUnbilled(error: unknown): boolean {
  if (!APICallError.isInstance(error)) return false;
  const { statusCode = 0 } = error;
  return statusCode >= 400 && !OF_GATEWAYS.includes(statusCode);
}

const MAX_REASON_CHARACTERS = 500;

const messages = {
  provider_auth_error: "The model provider refused the credential",
  provider_rate_limited: "The model provider accepts no more calls at the moment",
  context_too_long: "The conversation is too long for the model",
  content_filtered: "The model provider withheld the answer",
  provider_unavailable: "The model provider could not be reached, or broke off",
  provider_error: "The model provider refused the call",
  output_too_large: "The model's answer is too long",
  timed_out: "The model provider was silent for too long",
} satisfies Record<StepFailure["code"], string>;

/** A failure of this code, with its public message. */
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
const noCredit = /insufficient_quota|insufficient balance|credit balance|billing/i;
const busy = /rate_limit|resource_exhausted|too many requests/i;

/**
 * Converts an error of the AI SDK into a failure. The service's text is in its `cause` and `providerError`
 * only, shortened and without `secret`. `given` are the headers of the answer that reports the error.
 */
export function explainError(
  error: unknown,
  secret: string | undefined,
  given?: Readonly<Record<string, string>>,
): StepFailure {
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  const reported = describe(error);
  const said = redact(`${status ?? "No answer"}: ${reported}`, secret);
  const cause = new Error(said.slice(0, MAX_REASON_CHARACTERS));
  const parts = { cause, providerError: readProviderError(error, secret, given) };
  const headers = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  const retryAfterMs = readRetryAfter(headers);
  if (status === 401 || status === 403 || badKey.test(reported)) {
    return failure("provider_auth_error", parts);
  }
  if (status === 402 || noCredit.test(reported)) return failure("provider_rate_limited", parts);
  if (status === 413 || tooLong.test(reported)) return failure("context_too_long", parts);
  if (filtered.test(reported)) return failure("content_filtered", parts);
  const again = { ...parts, isRetryable: true, retryAfterMs };
  if (status === 429 || busy.test(reported)) return failure("provider_rate_limited", again);
  if (status === 409) return failure("provider_unavailable", { ...again, isRefusal: true });
  if (status === 408 || (status !== undefined && status >= 500)) {
    return failure("provider_unavailable", again);
  }
  // Without an error status, the connection broke or the response was malformed.
  if (status === undefined || status < 300) return failure("provider_unavailable", again);
  return failure("provider_error", parts);
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

// What a service itself said of a failure. Builders and admins read it, users never: it may quote what was sent.

type Headers = Readonly<Record<string, string>>;

/**
 * Reads what the service said, without `secret` and cut at a character; undefined if it said nothing, as
 * if the connection broke. `headers` are those of the answer in which it reported an error.
 */
function readProviderError(
  error: unknown,
  secret: string | undefined,
  headers: Headers | undefined,
): ProviderError | undefined {
  const said = redact(toStorable(messageOf(error)), secret).trim();
  if (said === "") return undefined;
  const bytes = new Uint8Array(MAX_PROVIDER_MESSAGE_BYTES);
  const message = said.slice(0, new TextEncoder().encodeInto(said, bytes).read);
  const ofError = APICallError.isInstance(error) ? error.responseHeaders : undefined;
  return { message, requestId: readRequestId({ ...headers, ...ofError }, secret) };
}

function messageOf(error: unknown): string {
  if (APICallError.isInstance(error)) {
    // With `data` the AI SDK has found the message in the body; else its own is that of the status.
    return (error.data === undefined ? error.responseBody : error.message) ?? "";
  }
  // The AI SDK's own errors, and those of connections, name addresses of the deployment.
  if (error instanceof Error) return "";
  if (typeof error === "string") return error;
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === "string" ? message : (JSON.stringify(error) ?? "");
}

function readRequestId(headers: Headers, secret: string | undefined): string | null {
  const id = redact(headers["request-id"] ?? headers["x-request-id"] ?? "", secret);
  return /^[\w.:-]{1,128}$/.test(id) ? id : null;
}

/** Hides the credential however it is written, and what looks like others: services quote parts of requests. */
function redact(text: string, secret: string | undefined): string {
  let redacted = text;
  if (secret) {
    // As it was sent and in JSON, it is hidden however short it is.
    redacted = hideSecrets(text, [secret])
      .replaceAll(JSON.stringify(secret).slice(1, -1), "[hidden]")
      .replaceAll(secret, "[hidden]");
  }
  return redacted.replaceAll(/\b(?:sk|key|AIza)[-_\w*]{8,}/g, "[hidden]");
}
