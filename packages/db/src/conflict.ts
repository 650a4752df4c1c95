// A deadlock, and a transaction that another one has overtaken.
const SQLSTATES: ReadonlySet<unknown> = new Set(["40P01", "40001"]);

/** Whether the database gave a transaction up for the sake of another, so that it may be tried again. */
export function isConflict(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ("code" in error && SQLSTATES.has(error.code)) || isConflict(error.cause);
}
