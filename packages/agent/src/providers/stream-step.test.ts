import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { watchSilence } from "./stream-step.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("counts only the time in which the consumer waits, again for each wait", () => {
  let ended = 0;
  const silence = watchSilence(100, () => ended++);
  vi.advanceTimersByTime(1000);
  expect(ended).toBe(0);
  silence.wait();
  vi.advanceTimersByTime(99);
  silence.heard();
  // The consumer takes its time.
  vi.advanceTimersByTime(1000);
  silence.wait();
  vi.advanceTimersByTime(99);
  silence.heard();
  silence.wait();
  vi.advanceTimersByTime(99);
  expect(ended).toBe(0);
  vi.advanceTimersByTime(2);
  expect(ended).toBe(1);
});

it("counts nothing once it has ended", () => {
  const silence = watchSilence(100, () => expect.unreachable());
  silence.wait();
  silence.end();
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
});
