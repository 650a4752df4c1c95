import { expect, test } from "vitest";
import { parseCpuMs, readCpuMs, sumCpuMs } from "./cpu.ts";

test("the time of a process is found behind a name with spaces and brackets", () => {
  const stat = "42 (a b) c) S 1 42 42 0 -1 4194560 3 0 0 0 12 30 5 6 20 0 1 0 100 1 1";
  expect(parseCpuMs(stat)).toBe(420);
});

test("a process that does not exist has no time", async () => {
  expect(await readCpuMs(2 ** 30)).toBeUndefined();
});

test("roles add up their processes, also one that began in between", () => {
  const before = new Map([
    [1, { role: "server", ms: 100 }],
    [2, { role: "database", ms: 50 }],
    [4, { role: "database", ms: 70 }],
  ]);
  const after = new Map([
    [1, { role: "server", ms: 130 }],
    [2, { role: "database", ms: 60 }],
    [3, { role: "database", ms: 5 }],
  ]);
  expect(sumCpuMs(before, after)).toEqual({ server: 30, database: 15 });
});
