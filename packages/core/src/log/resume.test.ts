import { describe, expect, it } from "vitest";
import { parseCursor, startAfter } from "./resume.ts";

describe("parseCursor", () => {
  it.each([
    ["", 0],
    ["0", 0],
    ["007", 7],
    ["9".repeat(15), 999_999_999_999_999],
  ])("reads %j as %d", (value, cursor) => {
    expect(parseCursor(value)).toBe(cursor);
  });

  it.each(["x", " 1", "1 ", "-1", "+1", "1.0", "1e1", "9".repeat(16), "１", 1, null, ["1"]])(
    "refuses %j",
    (value) => {
      expect(() => parseCursor(value)).toThrow("Invalid query parameters: lastEventId: must be");
    },
  );
});

describe("startAfter", () => {
  const open = { lastSeq: 3, closed: false };
  const empty = { lastSeq: 0, closed: false };
  const closed = { lastSeq: 3, closed: true };
  const message = { afterEnd: "terminal event" } as const;
  const invocation = { afterEnd: "no content" } as const;
  it.each([
    { cursor: 0, end: empty, stream: message, start: 0 },
    { cursor: 0, end: open, stream: message, start: 0 },
    { cursor: 3, end: open, stream: message, start: 3 },
    { cursor: 2, end: closed, stream: message, start: 2 },
    { cursor: 3, end: closed, stream: message, start: 2 },
    { cursor: 4711, end: closed, stream: message, start: 2 },
    { cursor: 0, end: empty, stream: invocation, start: 0 },
    { cursor: 3, end: open, stream: invocation, start: 3 },
    { cursor: 2, end: closed, stream: invocation, start: 2 },
    { cursor: 3, end: closed, stream: invocation, start: undefined },
  ])("begins after $start at the cursor $cursor of $end", ({ cursor, end, stream, start }) => {
    expect(startAfter(cursor, end, stream)).toBe(start);
  });

  it.each([
    { cursor: 1, end: empty, stream: message },
    { cursor: 4, end: open, stream: message },
    { cursor: 4, end: open, stream: invocation },
    { cursor: 4, end: closed, stream: invocation },
  ])("refuses the cursor $cursor of $end", ({ cursor, end, stream }) => {
    expect(() => startAfter(cursor, end, stream)).toThrow("an event that was received");
  });
});
