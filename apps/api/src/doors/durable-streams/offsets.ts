// An offset is the number of the last event before it, in a fixed width so that offsets sort as text.
import { invalidRequest, type ParleyError } from "@parley/schema";

const WIDTH = 16;
/** The highest number of an event that the database has. */
export const MAX_SEQ = 2 ** 31 - 1;

/** The offset after the event of this number; after 0, the beginning. */
export function formatOffset(seq: number): string {
  return String(seq).padStart(WIDTH, "0");
}

/**
 * The number of the event that an offset is after: 0 for `-1` and without one, and `end` for `now`. Throws
 * `invalid_request_error` for what is not an offset, and for offsets past the end of the log.
 */
export function parseOffset(offset: string | undefined, end: number): number {
  if (offset === undefined || offset === "-1") return 0;
  if (offset === "now") return end;
  if (!/^\d{16}$/.test(offset)) throw badOffset();
  const seq = Number(offset);
  if (seq > Math.min(end, MAX_SEQ)) throw badOffset();
  return seq;
}

function badOffset(): ParleyError {
  const message = "must be -1, now, or an offset that was received";
  return invalidRequest("query", [{ path: "offset", message }]);
}
