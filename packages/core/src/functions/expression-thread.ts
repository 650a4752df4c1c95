// Runs in a thread: see untrusted/thread.ts.
import jsonata from "jsonata";

/** An expression and its path. */
export interface Placed {
  readonly path: string;
  readonly expression: string;
}

export interface FoundFault {
  readonly path: string;
  readonly fault: string;
}

/** Faults that are reported of one behaviour. */
const MAX_FAULTS = 20;
const MAX_CHARACTERS = 500;

/** The first expressions that JSONata cannot parse, and why. */
export function findFaults(placed: readonly Placed[]): FoundFault[] {
  const found: FoundFault[] = [];
  for (const { path, expression } of placed) {
    const fault = findFault(expression);
    if (fault !== undefined) found.push({ path, fault });
    if (found.length === MAX_FAULTS) break;
  }
  return found;
}

function findFault(expression: string): string | undefined {
  try {
    jsonata(expression);
    return undefined;
  } catch (cause) {
    // JSONata throws objects that are not errors; for deep nesting a RangeError.
    const { message = "unknown error", position } = cause as {
      message?: string;
      position?: number;
    };
    const where = position === undefined ? "" : ` at character ${position}`;
    return `${message.slice(0, MAX_CHARACTERS).toWellFormed()}${where}`;
  }
}
