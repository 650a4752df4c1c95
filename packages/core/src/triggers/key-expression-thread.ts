// Runs in a thread: see untrusted/thread.ts.
import jsonata from "jsonata";

const LIMITS = { timeout: 500, stack: 200, sequence: 10_000 };

/** An event, as expressions see it. */
export interface KeyQuestion {
  readonly expression: string;
  readonly event: object;
}

/** The key that an expression gives an event: null for nothing; undefined for what is no text and no number, or if it fails. */
export async function evaluateKey({
  expression,
  event,
}: KeyQuestion): Promise<string | null | undefined> {
  try {
    const value: unknown = await jsonata(expression, LIMITS).evaluate(event);
    if (value === undefined || value === null) return null;
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  } catch {
    // What JSONata throws may hold parts of the event.
    return undefined;
  }
}
