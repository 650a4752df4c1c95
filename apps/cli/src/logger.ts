import { destination, type Logger, type LoggerOptions, pino } from "pino";

/** Causes below causes that are logged. */
const MAX_CAUSES = 5;

/** Nothing logs a key; a line that came to hold one all the same is written without it. */
const KEYS = /\bsk-[A-Za-z0-9\-._~+/]+=*/g;

/** Makes the logger of a process: JSON lines on standard error, written before the call returns. */
export function createLogger(level: string): Logger {
  return pino(loggerOptions(level), destination({ dest: 2, sync: true }));
}

/** How a process logs: nothing of requests and errors but what is known to hold no secret. */
export function loggerOptions(level: string): LoggerOptions {
  return {
    level,
    serializers: {
      err: describeError,
      // What libraries log of their own accord: urls and headers hold what people sent.
      req: () => undefined,
      res: () => undefined,
      busboyOptions: () => undefined,
    },
    hooks: { streamWrite: (line) => line.replace(KEYS, "sk-(not logged)") },
  };
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
