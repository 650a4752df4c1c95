// SQLSTATE classes and codes that say that the server is gone, starting, stopping or full.
const SQLSTATE = /^(?:08...|57P0[1-5]|53300|25P03)$/;
const SYSTEM = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOENT", "EAI_AGAIN"]);
const MESSAGES = [
  "Connection terminated",
  "Client has encountered a connection error",
  "Query read timeout",
  "Cannot use a pool after calling end",
  "PGlite is closed",
];
/** The pool's words for a query that has waited too long for a connection. */
const BUSY = "timeout exceeded when trying to connect";

/** Whether an error says that the database cannot be reached now, rather than that a query is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (SYSTEM.has(code) || SQLSTATE.test(code)) return true;
  if (MESSAGES.some((message) => error.message.includes(message))) return true;
  return isDatabaseUnavailable(error.cause);
}

/** Whether an error says that all connections were in use for too long. */
export function isDatabaseBusy(error: unknown): boolean {
  return error instanceof Error && (error.message.includes(BUSY) || isDatabaseBusy(error.cause));
}
