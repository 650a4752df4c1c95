import type { AgentError, ErrorType, Issue } from "@parley/schema";

/** Why a call failed: a row of the server's error table, or a failure that the client detected. */
export type ParleyErrorType =
  | ErrorType
  /** The connection failed or broke; `cause` has the reason. */
  | "connection_failed"
  /** The call took longer than its `timeoutMs`. */
  | "timed_out"
  /** The response is not Parley's, as a proxy's page. */
  | "unexpected_response_format"
  /** The response is a redirect that the key must not follow. */
  | "unexpected_redirect"
  /** The API key is missing or has characters that a header cannot carry. */
  | "invalid_api_key"
  /** An agent's answer ended without success; see `AnswerFailed`. */
  | "answer_failed";

interface ErrorDetails {
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
  readonly issues?: readonly Issue[] | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Why a call or a stream failed. Never contains the API key.
 *
 * @example
 * try {
 *   await parley.conversations.get({ conversationId: "unknown" });
 * } catch (error) {
 *   if (!(error instanceof ParleyError)) throw error;
 *   console.log(error.type, error.status); // conversation_not_found 404
 * }
 */
export class ParleyError extends Error {
  override readonly name: string = "ParleyError";
  readonly type: ParleyErrorType;
  /** Status of the response, if there was one. */
  readonly status: number | undefined;
  /** Id of the request in the server's log. */
  readonly requestId: string | undefined;
  /** The single faults of an invalid request. */
  readonly issues: readonly Issue[];
  /** `Retry-After` of the response. */
  readonly retryAfterMs: number | undefined;

  constructor(type: ParleyErrorType, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.type = type;
    this.status = details.status;
    this.requestId = details.requestId;
    this.issues = details.issues ?? [];
    this.retryAfterMs = details.retryAfterMs;
  }
}

/**
 * An agent's answer ended without success: it failed, or was cancelled. `code` says which.
 *
 * @example
 * const { conversation } = await parley.conversations.create({
 *   message: { content: "Hello!", mentions: [{ configurationId: "faulty" }] },
 * });
 * const [answer] = agentMessages(conversation);
 * const of = { conversationId: conversation.sId, messageId: answer!.sId };
 * try {
 *   for await (const text of parley.messages.text(of)) process.stdout.write(text);
 * } catch (error) {
 *   if (!(error instanceof AnswerFailed)) throw error;
 *   console.log(error.code, error.message); // simulated_failure This agent always fails
 * }
 */
export class AnswerFailed extends ParleyError {
  override readonly name: string = "AnswerFailed";
  /** The agent's own code, or `cancelled`. */
  readonly code: string;
  readonly metadata: AgentError["metadata"];

  constructor({ code, message, metadata }: AgentError) {
    super("answer_failed", message);
    this.code = code;
    this.metadata = metadata;
  }
}

/** Reads the error of a response. */
export async function readError(response: Response): Promise<ParleyError> {
  const { status } = response;
  const details = { status, retryAfterMs: retryAfterOf(response) };
  const text = await response.text().catch(() => "");
  const error = errorIn(text);
  if (error === undefined) {
    const message = `The server answered with status ${status}, but not with a Parley error`;
    return new ParleyError("unexpected_response_format", message, details);
  }
  return new ParleyError(error.type, error.message, {
    ...details,
    requestId: error.request_id,
    issues: error.issues,
  });
}

interface WireError {
  readonly type: ErrorType;
  readonly message: string;
  readonly request_id?: string;
  readonly issues?: Issue[];
}

function errorIn(text: string): WireError | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: WireError };
    return typeof error?.type === "string" && typeof error.message === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** `Retry-After`, which is seconds or a date, in milliseconds. */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
