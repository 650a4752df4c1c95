import { invalidRequest, type ParleyError } from "@parley/schema";
import type { LogStream } from "./stream.ts";

/**
 * Reads the number of the last event that a follower has; the empty string is 0, none. Throws
 * `invalid_request_error`.
 */
export function parseCursor(value: unknown): number {
  if (typeof value !== "string" || !/^\d{0,15}$/.test(value)) throw badCursor();
  return Number(value);
}

/**
 * The number behind which a follower with this cursor begins to read; undefined where it has
 * everything and there will be no more. Throws `invalid_request_error` past the end of the log.
 */
export function startBehind(
  cursor: number,
  end: { lastSeq: number; closed: boolean },
  stream: Pick<LogStream, "afterEnd">,
): number | undefined {
  const repeats = end.closed && stream.afterEnd === "terminal event";
  // Of a message that has finished, whatever cursor there is gets the end again.
  if (cursor > end.lastSeq && !repeats) throw badCursor();
  if (!end.closed || cursor < end.lastSeq) return cursor;
  // Who has the terminal event gets it once more, never an empty stream.
  return repeats ? end.lastSeq - 1 : undefined;
}

function badCursor(): ParleyError {
  const message = "must be the number of an event that was received";
  return invalidRequest("query", [{ path: "lastEventId", message }]);
}
