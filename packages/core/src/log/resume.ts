import { invalidRequest, type ParleyError } from "@parley/schema";
import type { LogStream } from "./log-stream.ts";

/** Parses the number of a follower's last event; the empty string is 0. Throws `invalid_request_error`. */
export function parseCursor(value: unknown): number {
  if (typeof value !== "string" || !/^\d{0,15}$/.test(value)) throw badCursor();
  return Number(value);
}

/** The numbers of the last events that a follower has of tasks, by their logs. */
export type TaskPlaces = ReadonlyMap<string, number>;

const PLACES = /^\d{0,15}(?:~[\w-]{1,40}\.\d{1,15}){0,1000}$/;

/** Parses the id of a follower's last event, of a stream that may have those of tasks. Throws `invalid_request_error`. */
export function parsePlaces(value: unknown): { cursor: number; below: TaskPlaces } {
  if (typeof value !== "string" || !PLACES.test(value)) throw badCursor();
  const [cursor, ...tasks] = value.split("~");
  const places = tasks.map((task) => task.split("."));
  return {
    cursor: parseCursor(cursor),
    below: new Map(places.map(([logId = "", seq]) => [logId, Number(seq)])),
  };
}

/** Throws `invalid_request_error` for what asks for the events of tasks in a form that has none. */
export function refuseTasks({ hasTasks }: Pick<LogStream, "hasTasks">): void {
  if (hasTasks !== true) return;
  const message = "children_events come as Server-Sent Events, in the stream's own format";
  throw invalidRequest("query", [{ path: "include", message }]);
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

/** The refusal of what is no place in a stream. */
export function badCursor(): ParleyError {
  const message = "must be the number of an event that was received";
  return invalidRequest("query", [{ path: "lastEventId", message }]);
}
