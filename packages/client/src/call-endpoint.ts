import type { Warning } from "@parley/schema";
import { delayBefore, isRefusedUnread, isRetryable, wait } from "./backoff.ts";
import { brokenConnection, type ParleyOptions, type Send, type WireRequest } from "./connection.ts";
import { ParleyError } from "./errors.ts";
import { limitTime, type TimeLimit } from "./limit-time.ts";
import type { InvokeOptions } from "./methods.ts";
import { fillPath } from "./routes.ts";
import type { RouteName } from "./schema-tables.ts";

const MAX_RETRIES = 4;
/** Longest `Retry-After` that is waited for; longer ones reject. */
const MAX_RETRY_AFTER_MS = 30_000;
const TIMEOUT_MS = 60_000;
/** The server answers a blocking request within 180 s. */
const BLOCKING_TIMEOUT_MS = 200_000;
const UPLOAD_TIMEOUT_MS = 600_000;

/** What the methods of a client share. */
export interface Caller {
  readonly send: Send;
  readonly options: ParleyOptions;
}

interface Call {
  readonly name: RouteName;
  readonly input: Readonly<Record<string, unknown>>;
  readonly options: InvokeOptions;
}

// Where there is one.
declare const process: { readonly env: { readonly NODE_ENV?: string } };

/** Tells whoever develops an application what a request was ignored for; others do not see it. */
function showWarning({ path, message }: Warning): void {
  try {
    // Bundlers replace it by what they build for. Without one, a browser has no process.
    if (process.env.NODE_ENV === "development") console.warn(`Parley: ${path}: ${message}`);
  } catch {}
}

/** Calls an endpoint whose response is JSON. Throws `ParleyError`, or the signal's reason. */
export async function callEndpoint(caller: Caller, call: Call): Promise<unknown> {
  const request = requestOf(caller, call);
  const { signal, timeoutMs = timeoutOf(call) } = call.options;
  const limit = limitTime(signal, timeoutMs);
  try {
    const answer = await sendWithRetries(
      caller,
      { request, limit, options: call.options },
      readJson,
    );
    const { onWarning = showWarning } = caller.options;
    for (const warning of (answer as { warnings?: Warning[] }).warnings ?? []) onWarning(warning);
    return answer;
  } finally {
    limit.clear();
  }
}

/** Calls an endpoint whose response is bytes; the time limit ends where they begin. */
export async function openEndpoint(caller: Caller, call: Call): Promise<Response> {
  const request = requestOf(caller, call);
  const { signal: outer, timeoutMs = TIMEOUT_MS } = call.options;
  const limit = limitTime(undefined, timeoutMs);
  // Combined permanently: when the bytes have been read is unknown.
  const signal = outer === undefined ? limit.signal : AbortSignal.any([outer, limit.signal]);
  const work = { request, limit: { ...limit, signal }, options: call.options };
  try {
    return await sendWithRetries(caller, work, async (answer) => answer);
  } finally {
    limit.lift();
  }
}

/** Sends a form, which is retried only if it was refused unread. */
export async function sendForm(
  caller: Caller,
  call: Call & { readonly form: FormData; readonly query?: string },
): Promise<unknown> {
  const { method, path } = fillPath(call.name, caller.options.workspaceId, call.input);
  const request = { method, path: path + (call.query ?? ""), headers: {}, body: call.form };
  const { signal, timeoutMs = UPLOAD_TIMEOUT_MS } = call.options;
  const limit = limitTime(signal, timeoutMs);
  try {
    return await sendWithRetries(caller, { request, limit, options: call.options }, readJson);
  } finally {
    limit.clear();
  }
}

async function sendWithRetries<T>(
  { send, options: defaults }: Caller,
  work: { request: WireRequest; limit: TimeLimit; options: InvokeOptions },
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const { request, limit, options } = work;
  const maxRetries = options.maxRetries ?? defaults.maxRetries ?? MAX_RETRIES;
  const isRepeatable = request.method === "GET" || "idempotency-key" in request.headers;
  for (let failures = 0; ; failures++) {
    try {
      return await read(await send(request, limit.signal));
    } catch (error) {
      limit.signal.throwIfAborted();
      if (failures >= maxRetries || !isRetryable(error)) throw error;
      if (!isRepeatable && !isRefusedUnread(error)) throw error;
      if ((error.retryAfterMs ?? 0) > MAX_RETRY_AFTER_MS) throw error;
      const delayMs = delayBefore(failures, error);
      if (delayMs >= limit.leftMs()) throw error;
      await wait(delayMs, limit.signal);
    }
  }
}

async function readJson(response: Response): Promise<unknown> {
  // 204 has no body.
  if (response.status === 204) return { success: true };
  const text = await response.text().catch((cause: unknown) => {
    throw brokenConnection(cause);
  });
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === "object" && answer !== null) return answer;
  } catch {
    // Refused below.
  }
  const message = "The server's answer is not JSON";
  throw new ParleyError("unexpected_response_format", message, { status: response.status });
}

/** The request of a call: the members that its path does not take are its query or body. */
function requestOf(caller: Caller, { name, input, options }: Call): WireRequest {
  const { method, path, taken } = fillPath(name, caller.options.workspaceId, input);
  const rest = Object.entries(input).filter(([member]) => !taken.has(member));
  const { waitSeconds } = options;
  if (method === "GET" || method === "DELETE")
    return { method, path: path + searchOf(rest), headers: {} };
  return {
    method,
    path,
    headers: {
      "content-type": "application/json",
      ...(method === "POST" && {
        "idempotency-key": checkedKey(options.idempotencyKey ?? newIdempotencyKey()),
      }),
      ...(waitSeconds !== undefined && { prefer: `wait=${waitSeconds}` }),
    },
    body: JSON.stringify(Object.fromEntries(rest)),
  };
}

/** A query with its question mark; a list repeats its member for each value. */
export function searchOf(members: readonly (readonly [string, unknown])[]): string {
  const pairs = members
    .filter(([, value]) => value !== undefined && value !== null)
    .flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  return pairs.length === 0 ? "" : `?${new URLSearchParams(pairs).toString()}`;
}

/** Throws `TypeError` for a key that a header cannot carry: fetch would report a failed connection. */
function checkedKey(key: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new TypeError("idempotencyKey must be 1 to 255 characters of ASCII without spaces");
}

function timeoutOf({ input, options }: Call): number {
  if (input["blocking"] === true) return BLOCKING_TIMEOUT_MS;
  return TIMEOUT_MS + (options.waitSeconds ?? 0) * 1000;
}

/** A new Idempotency-Key: 128 random bits. Pages without TLS have no `randomUUID`. */
export function newIdempotencyKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}
