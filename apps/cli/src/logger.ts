import { destination, type Logger, pino } from "pino";

/** Causes below causes that are logged. */
const MAX_CAUSES = 5;

/** Makes the logger of a process: JSON lines on standard error, written before the call returns. */
export function createLogger(level: string): Logger {
  const serializers = { err: (error: unknown) => describeError(error) };
  return pino({ level, serializers }, destination({ dest: 2, sync: true }));
}

/**
 * What is logged of an error: where it happened and why, but none of the values of a failed query,
 * which hold what people wrote.
 */
export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return { message: `Not an error: ${typeof error}` };
  const { name, message, stack = "", cause } = error;
  const { code } = error as NodeJS.ErrnoException;
  return {
    type: name,
    message: withoutValues(message),
    stack: withoutValues(stack.replace(message, withoutValues(message))),
    ...(code !== undefined && { code }),
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: describeError(cause, depth + 1) }),
  };
}

/** Drizzle puts the values of a query behind the query. */
function withoutValues(text: string): string {
  return text.replace(/\nparams: [^]*?(?=\n {4}at |$)/, "\nparams: (not logged)");
}
