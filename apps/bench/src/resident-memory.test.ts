import { expect, test } from "vitest";
import { parseResidentBytes, readResidentBytes } from "./resident-memory.ts";

test("resident memory is in bytes", () => {
  expect(parseResidentBytes("VmPeak:\t 9 kB\nVmRSS:\t   80144 kB\nRssAnon: 5 kB\n")).toBe(
    82_067_456,
  );
});

test("a process that has none is an error", () => {
  expect(() => parseResidentBytes("Name:\tkthreadd\n")).toThrow("no resident memory");
});

test("this process has some", async () => {
  expect(await readResidentBytes(process.pid)).toBeGreaterThan(10 * 2 ** 20);
});
