import { expect, test } from "vitest";
import { type Span, reveal, rowsOf, tokensPerSecond, wholeOf, zoom, zoomTo } from "./spans.ts";

const span = (id: string, parentId: string | null, changed: Partial<Span> = {}): Span => ({
  id,
  parentId,
  kind: "step",
  name: id,
  startedAt: 1000,
  endedAt: 2000,
  status: "succeeded",
  ...changed,
});

test("rows follow their parents, and end at a collapsed one", () => {
  const spans = [span("a", null), span("b", "a"), span("d", "a"), span("c", "b")];
  const names = (rows: ReturnType<typeof rowsOf>) =>
    rows.map((row) => `${row.level}${row.span.id}${row.hasChildren ? "+" : ""}`);
  expect(names(rowsOf(spans, new Set()))).toEqual(["1a+", "2b+", "3c", "2d"]);
  expect(names(rowsOf(spans, new Set(["b"])))).toEqual(["1a+", "2b+", "2d"]);
});

test("a span that goes on lasts until now", () => {
  expect(wholeOf([span("a", null, { endedAt: null })], 5000)).toEqual({ from: 1000, to: 5000 });
  expect(wholeOf([span("a", null, { endedAt: null })], 10)).toEqual({ from: 1000, to: 1001 });
});

test("zooming stays within the whole, and ends at some milliseconds", () => {
  const whole = { from: 0, to: 1000 };
  expect(zoom(whole, 0.25, { at: 0, whole })).toEqual({ from: 0, to: 250 });
  expect(zoom({ from: 0, to: 250 }, 4, { at: 900, whole })).toEqual(whole);
  expect(zoom({ from: 10, to: 14 }, 0.25, { at: 12, whole })).toEqual({ from: 10, to: 14 });
  const short = span("a", null, { startedAt: 500, endedAt: 600 });
  expect(zoomTo(short, { whole, now: 0 })).toEqual({ from: 495, to: 605 });
  const near = { from: 0, to: 100 };
  expect(reveal(near, short, { whole, now: 0 })).toEqual({ from: 450, to: 550 });
  expect(reveal(whole, short, { whole, now: 0 })).toBe(whole);
});

test("tokens a second count from the first token", () => {
  const tokens = {
    inputTokens: 1,
    outputTokens: 30,
    cachedInputTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  };
  expect(tokensPerSecond(span("a", null, { tokens, firstTokenMs: 400 }))).toBe(50);
  expect(tokensPerSecond(span("a", null, { tokens, firstTokenMs: 1000 }))).toBeUndefined();
  expect(tokensPerSecond(span("a", null, { tokens }))).toBeUndefined();
});
