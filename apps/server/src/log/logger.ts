import { isatty } from "node:tty";
import { type Logger, type LoggerOptions, pino } from "pino";
import { openLogDestination } from "./log-destination.ts";
import { renderLogLine } from "./render-log-line.ts";

/** Nested causes that are logged. */
const MAX_CAUSES = 5;

/** No code logs a key or a token; a line that contains one anyway is written without it. */
const SECRETS =
  /\b(?:(sk-)[A-Za-z0-9\-._~+/]+=*|((?:ut|ss|sc)-)[A-Za-z0-9]{40}|(ey)J[\w-]+\.[\w-]+\.[\w-]+)/g;

/** Standard error. */
const FD = 2;

/**
 * Creates the logger of a process: JSON lines on standard error, or lines for people if that is a terminal,
 * written before the call returns. If standard error takes none, the process continues without.
 */
export function createLogger(level: string): Logger {
  const onRecovered = (lines: number): void =>
    logger.error({ lines }, "The log was blocked for a while; these lines were dropped");
  const destination = openLogDestination({ onRecovered, fd: FD });
  const forPeople = { write: (line: string) => destination.write(renderLogLine(line)) };
  const logger = pino(loggerOptions(level), isatty(FD) ? forPeople : destination);
  return logger;
}

/** Options of the logger: of requests and errors, only members without secrets are logged. */
export function loggerOptions(level: string): LoggerOptions {
  return {
    level,
    serializers: {
      err: describeError,
      // Libraries log these themselves: URLs and headers contain user data.
      req: () => undefined,
      res: () => undefined,
      busboyOptions: () => undefined,
    },
    hooks: { streamWrite: (line) => line.replace(SECRETS, "$1$2$3(not logged)") },
  };
}

/**
 * The logged members of an error: its place and reason, but none of the values of a failed query, which
 * contain user data.
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

/** Drizzle appends the values of a query to the query. */
function withoutValues(text: string): string {
  return text.replace(/\nparams: [^]*?(?=\n {4}at |$)/, "\nparams: (not logged)");
}
