import { invalidRequest, type ParleyError } from "@parley/schema";
import type { LogStream } from "./log-stream.ts";

/** Parses the number of a follower's last event; the empty string is 0. Throws `invalid_request_error`. */
export function parseCursor(value: unknown): number {
  if (typeof value !== "string" || !/^\d{0,15}$/.test(value)) throw badCursor();
  return Number(value);
}

/**
 * The number after which a follower with this cursor begins to read; undefined if it has everything of a
 * closed log. Throws `invalid_request_error` past the end of the log.
 */
export function startAfter(
  cursor: number,
  end: { lastSeq: number; closed: boolean },
  stream: Pick<LogStream, "afterEnd">,
): number | undefined {
  const repeats = end.closed && stream.afterEnd === "terminal event";
  // With any cursor, a follower of a finished message gets the end again.
  if (cursor > end.lastSeq && !repeats) throw badCursor();
  if (!end.closed || cursor < end.lastSeq) return cursor;
  // A follower that has the terminal event gets it again, never an empty stream.
  return repeats ? end.lastSeq - 1 : undefined;
}

function badCursor(): ParleyError {
  const message = "must be the number of an event that was received";
  return invalidRequest("query", [{ path: "lastEventId", message }]);
}
