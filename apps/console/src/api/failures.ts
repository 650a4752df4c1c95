import type { Issue } from "parley-client";

/** An error as notices show it. */
export interface Failure {
  readonly message: string;
  readonly status: number | undefined;
  readonly requestId: string | undefined;
  /** The issues of an invalid request, one sentence each. */
  readonly issues: readonly string[];
}

/** An error of the REST client, or the `data` of an RPC error. */
interface Described {
  readonly type?: string;
  readonly status?: number;
  readonly httpStatus?: number;
  readonly requestId?: string;
  readonly request_id?: string;
  readonly issues?: readonly Issue[];
}

/** Describes any error: of the REST client, of the RPC, or of the page itself. */
export function describeFailure(error: unknown): Failure {
  if (!(error instanceof Error)) {
    return { message: String(error), status: undefined, requestId: undefined, issues: [] };
  }
  const described = describedBy(error);
  return {
    message: isBroken(error) ? "The connection to the server failed" : error.message,
    status: described.status ?? described.httpStatus,
    requestId: described.requestId ?? described.request_id,
    issues: (described.issues ?? []).map(({ path, message }) => `${path} ${message}`.trim()),
  };
}

/** Whether an RPC error means that there was no response: the message of `fetch` depends on the browser. */
function isBroken(error: Error): boolean {
  return error.name === "TRPCClientError" && error.cause instanceof TypeError;
}

/** Statuses of a busy or starting server, and of the proxies in front of it. */
const passingStatuses: ReadonlySet<number | undefined> = new Set([408, 429, 502, 503, 504]);

/** Whether the same read may succeed later. */
export function isPassing(error: Error): boolean {
  return isBroken(error) || passingStatuses.has(describeFailure(error).status);
}

// Both clients' errors have these members, the RPC's in `data`.
function describedBy(error: Error): Described {
  return ((error as { data?: Described | null }).data ?? error) as Described;
}

/** The issues of an invalid request, each with its path. */
export function issuesOf(error: unknown): readonly Issue[] {
  return error instanceof Error ? (describedBy(error).issues ?? []) : [];
}

/** Whether an error says that the session has ended. */
export function isSessionOver(error: unknown): boolean {
  return describeFailure(error).status === 401;
}

/** Whether an error says that something does not exist or may not be seen. */
export function isNotFound(error: unknown): boolean {
  if (describeFailure(error).status === 404) return true;
  // Some endpoints answer with 400, as published clients expect.
  return error instanceof Error && describedBy(error).type?.endsWith("_not_found") === true;
}
