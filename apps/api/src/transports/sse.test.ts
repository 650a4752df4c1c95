import { ParleyError } from "@parley/schema";
import { describe, expect, it } from "vitest";
import { formatFrame } from "./sse-frames.ts";
import { parseResume } from "./sse.ts";

const parse = (header: string | undefined, lastEventId?: unknown) =>
  parseResume({
    headers: header === undefined ? {} : { "last-event-id": header },
    query: lastEventId === undefined ? {} : { lastEventId },
  });

describe("parseResume", () => {
  it.each([
    [undefined, undefined, { cursor: 0, withIds: false }],
    ["", undefined, { cursor: 0, withIds: true }],
    ["0", undefined, { cursor: 0, withIds: true }],
    ["17", undefined, { cursor: 17, withIds: true }],
    [undefined, "17", { cursor: 17, withIds: true }],
    [undefined, "", { cursor: 0, withIds: true }],
    ["3", "17", { cursor: 3, withIds: true }],
    ["", "17", { cursor: 0, withIds: true }],
    ["007", undefined, { cursor: 7, withIds: true }],
  ])("reads the header %j and the query %j", (header, query, resume) => {
    expect(parse(header, query)).toEqual(resume);
  });

  it.each([
    ["-1", undefined],
    ["1.5", undefined],
    ["1e3", undefined],
    [" 1", undefined],
    ["abc", undefined],
    ["9".repeat(16), undefined],
    ["٣", undefined],
    [undefined, "x"],
    [undefined, ["1", "2"]],
    ["x", "1"],
  ])("refuses the header %j and the query %j", (header, query) => {
    expect(() => parse(header, query)).toThrow(ParleyError);
    expect(() => parse(header, query)).toThrow("Invalid query parameters: lastEventId: must be");
  });
});

describe("formatFrame", () => {
  const event = { seq: 7, type: "x", payload: '{"type":"x","text":"a\\nb"}' };

  it.each([
    [false, false, `data: ${event.payload}\n\n`],
    [false, true, `id: 7\ndata: ${event.payload}\n\n`],
    [true, false, `data: {"eventId":"7","data":${event.payload}}\n\n`],
    [true, true, `id: 7\ndata: {"eventId":"7","data":${event.payload}}\n\n`],
  ])("writes one data line (enveloped: %s, with ids: %s)", (enveloped, withIds, frame) => {
    expect(formatFrame(event, { enveloped, withIds })).toBe(frame);
  });

  it("keeps a payload on one line, whatever text is in it", () => {
    const payload = JSON.stringify({ text: "a\r\nb\u2028c" });
    const frame = formatFrame({ ...event, payload }, { enveloped: true, withIds: false });
    expect(frame.trimEnd()).not.toMatch(/[\r\n]/);
    expect(JSON.parse(frame.slice("data: ".length))).toEqual({
      eventId: "7",
      data: { text: "a\r\nb\u2028c" },
    });
  });
});
