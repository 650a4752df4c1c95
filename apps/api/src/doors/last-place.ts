import { invalidRequest, type ParleyError } from "@parley/schema";
import type { FastifyRequest } from "fastify";
import { type FramePlace, parsePlace } from "./event-codec.ts";

/**
 * Reads the last frame that a client has of a stream, from `Last-Event-ID` or `lastEventId`; the header wins.
 * Undefined for none: the empty string and 0 are before the first. Throws `invalid_request_error`.
 */
export function readLastPlace({
  headers,
  query,
}: Pick<FastifyRequest, "headers" | "query">): Pick<FramePlace, "seq" | "index"> | undefined {
  const { lastEventId } = query as { lastEventId?: unknown };
  const value = headers["last-event-id"] ?? lastEventId;
  if (value === undefined || value === "" || value === "0") return undefined;
  const place = typeof value === "string" ? parsePlace(value) : undefined;
  if (place !== undefined) return place;
  throw badPlace();
}

/** The error for the id of no frame. */
export function badPlace(): ParleyError {
  const message = "must be the id of a frame that was received";
  return invalidRequest("query", [{ path: "lastEventId", message }]);
}
