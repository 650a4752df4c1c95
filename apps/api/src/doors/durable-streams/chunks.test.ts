import { describe, expect, it } from "vitest";
import { chunkHeaders, formatChunk, toChunk } from "./chunks.ts";
import { nextCursor } from "./cursors.ts";
import { formatOffset, parseOffset } from "./offsets.ts";

const stored = (seq: number, type = "generation_tokens") => ({
  seq,
  type,
  payload: `{"n":${seq}}`,
});
const stream = { enveloped: true, hidden: new Set(["agent_message_notes"]) };
const open = (lastSeq: number) => ({ lastSeq, closed: false });

describe("offsets", () => {
  it("sort as text, and are read as they were written", () => {
    const seqs = [0, 1, 9, 10, 99, 100, 12_345, 2 ** 31 - 1];
    const offsets = seqs.map(formatOffset);
    expect(offsets.toSorted()).toEqual(offsets);
    expect(offsets.map((offset) => parseOffset(offset, 2 ** 31 - 1))).toEqual(seqs);
  });

  it("begin at the start, or at the end with now", () => {
    expect(parseOffset(undefined, 7)).toBe(0);
    expect(parseOffset("-1", 7)).toBe(0);
    expect(parseOffset("now", 7)).toBe(7);
  });

  it.for(["", "0", "1", "-2", "0,1", "0 1", "NOW", "00000000000000001", formatOffset(8)])(
    "%j is refused in a log of 7 events",
    (offset) => {
      expect(() => parseOffset(offset, 7)).toThrow(/offset: must be -1, now, or an offset/);
    },
  );
});

describe("a cursor", () => {
  const now = Date.UTC(2024, 9, 9) + 100 * 20_000;

  it.for([undefined, "", "abc", "-5", "99"])("is the current interval after %j", (sent) => {
    expect(nextCursor(sent, { now, random: 0.99 })).toBe("100");
  });

  it.for(["100", "101", "5000"])("is after the reader's own %s", (sent) => {
    for (const random of [0, 0.5, 0.999]) {
      expect(Number(nextCursor(sent, { now, random }))).toBeGreaterThan(Number(sent));
    }
  });
});

describe("a chunk", () => {
  it("has each event in the envelope of its stream, without the hidden ones", () => {
    const events = [stored(1), stored(2, "agent_message_notes"), stored(3)];
    const chunk = toChunk(stream, events, { after: 0, end: open(3) });
    expect(chunk.json).toBe('[{"eventId":"1","data":{"n":1}},{"eventId":"3","data":{"n":3}}]');
    expect(toChunk({ ...stream, enveloped: false }, events, { after: 0, end: open(3) }).json).toBe(
      '[{"n":1},{"n":3}]',
    );
  });

  it("moves past hidden events", () => {
    const hidden = [stored(4, "agent_message_notes")];
    const chunk = toChunk(stream, hidden, { after: 3, end: open(4) });
    expect(chunk).toMatchObject({ json: "[]", count: 0, nextSeq: 4, isUpToDate: true });
  });

  it("is not up to date before the end, nor closed", () => {
    const from = { after: 0, end: { lastSeq: 3, closed: true } };
    const chunk = toChunk(stream, [stored(1)], from);
    expect(chunk).toMatchObject({ nextSeq: 1, isUpToDate: false, isClosed: false });
  });

  it("is closed by the terminal event, and at the end of a closed log", () => {
    const terminal = [stored(4, "agent_message_success")];
    expect(toChunk(stream, terminal, { after: 3, end: open(3) }).isClosed).toBe(true);
    const at = { after: 4, end: { lastSeq: 4, closed: true } };
    expect(toChunk(stream, [], at)).toMatchObject({ json: "[]", nextSeq: 4, isClosed: true });
  });

  it("is one data event before its control event, on one line each", () => {
    const events = [{ ...stored(1), payload: '{"text":"a\u2028b"}' }];
    const chunk = toChunk({ ...stream, enveloped: false }, events, { after: 0, end: open(1) });
    expect(formatChunk(chunk, "7")).toBe(
      'event: data\ndata:[{"text":"a\\u2028b"}]\n\n' +
        'event: control\ndata:{"streamNextOffset":"0000000000000001","streamCursor":"7","upToDate":true}\n\n',
    );
  });

  it("that is closed has no cursor", () => {
    const chunk = toChunk(stream, [], { after: 4, end: { lastSeq: 4, closed: true } });
    expect(formatChunk(chunk, "7")).toBe(
      'event: control\ndata:{"streamNextOffset":"0000000000000004","streamClosed":true,"upToDate":true}\n\n',
    );
    expect(chunkHeaders(chunk, "7")).toEqual({
      "Stream-Next-Offset": "0000000000000004",
      "Stream-Up-To-Date": "true",
      "Stream-Closed": "true",
    });
  });
});
