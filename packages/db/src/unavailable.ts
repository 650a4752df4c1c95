import { UnfitSession } from "./sessions.ts";

// A deadlock, and a transaction that another one has overtaken.
const SQLSTATES: ReadonlySet<unknown> = new Set(["40P01", "40001"]);

/** Whether the database gave a transaction up for the sake of another, so that it may be tried again. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && SQLSTATES.has(error.code)) || isConflict(error.cause);
}

// SQLSTATEs of a server that is gone, starts, stops, is full, cannot write its files or is read-only, and
// of a statement that timed out.
const SQLSTATE = /^(?:08...|53...|57P0[1-5]|57014|58...|25P03|25006)$/;
/** SQLSTATEs of a connection that the server ends, whatever runs on it, a commit included. */
const CUT_SQLSTATE = /^(?:08...|57P0[12]|25P03)$/;
/** SQLSTATE of a write to a read-only database, as a standby. */
export const READ_ONLY = "25006";
const DISK_FULL = "53100";
const TIMED_OUT = "57014";
const READ_TIMEOUT = "Query read timeout";
/** System errors of a connection; with the name of the call that failed. */
const SYSTEM = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EPIPE",
  "ETIMEDOUT",
  "ENOENT",
  "ENOTFOUND",
  "EAI_AGAIN",
]);
const CONNECTING = new Set(["connect", "getaddrinfo"]);
const TRANSFERRING = new Set(["read", "write"]);
const CUT_MESSAGES = [
  "Connection terminated",
  "Client has encountered a connection error",
  READ_TIMEOUT,
];
/** The error of a query that waited for a connection while the server answered no other either. */
export const SILENT = "The database does not answer";
const REFUSED_MESSAGES = ["Cannot use a pool after calling end", SILENT];
/** The pool's message for a query that has waited too long for a connection. */
const BUSY = "timeout exceeded when trying to connect";

/** Whether an error says that the database cannot be reached or used now. */
export function isDatabaseUnavailable(error: unknown): boolean {
  return someCause(
    error,
    (cause, code) => isCut(cause, code) || isRefused(cause, code) || SQLSTATE.test(code),
  );
}

/** Whether an error says that all connections were in use for too long. */
export function isDatabaseBusy(error: unknown): boolean {
  return someCause(error, (cause) => cause.message.includes(BUSY));
}

/** Whether an error says that a statement took longer than it may. */
export function isStatementTimeout(error: unknown): boolean {
  return someCause(
    error,
    ({ message }, code) => code === TIMED_OUT || message.includes(READ_TIMEOUT),
  );
}

/** Whether an error says that the database can be read but takes no writes now. */
export function isDatabaseUnwritable(error: unknown): boolean {
  return someCause(error, (_cause, code) => code === READ_ONLY || code === DISK_FULL);
}

/** Whether an error leaves the outcome of a write unknown: the answer was lost. */
export function isOutcomeUnknown(error: unknown): boolean {
  return someCause(error, isCut);
}

/** Whether an error blames the values of a statement, so that other values may be written. */
export function isDataError(error: unknown): boolean {
  return someCause(error, (_cause, code) => /^2[23]...$/.test(code));
}

/** The message of an unavailable database; undefined for other errors. */
export function reasonOfUnavailable(error: unknown): string | undefined {
  if (!isDatabaseUnavailable(error) && !isDatabaseBusy(error)) return undefined;
  let last = error;
  while (last instanceof Error) {
    const next: unknown = last instanceof AggregateError ? last.errors[0] : last.cause;
    if (next === undefined) break;
    last = next;
  }
  return (last as Error).message;
}

/** Whether an open connection has failed. */
function isCut(error: Error, code: string): boolean {
  if (CUT_SQLSTATE.test(code)) return true;
  if (SYSTEM.has(code) && TRANSFERRING.has(syscallOf(error))) return true;
  return CUT_MESSAGES.some((message) => error.message.includes(message));
}

/** Whether no connection was opened, so that nothing was sent. */
function isRefused(error: Error, code: string): boolean {
  if (error instanceof UnfitSession) return true;
  if (SYSTEM.has(code) && CONNECTING.has(syscallOf(error))) return true;
  return REFUSED_MESSAGES.some((message) => error.message.includes(message));
}

function syscallOf(error: Error): string {
  return "syscall" in error && typeof error.syscall === "string" ? error.syscall : "";
}

function someCause(error: unknown, isIt: (error: Error, code: string) => boolean): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (isIt(error, code)) return true;
  // A name with several addresses fails with the errors of all of them.
  if (error instanceof AggregateError && error.errors.some((one) => someCause(one, isIt))) {
    return true;
  }
  return someCause(error.cause, isIt);
}
