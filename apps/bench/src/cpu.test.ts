import { expect, test } from "vitest";
import { parseThreadMs, readCpuMs, sumCpuMs } from "./cpu.ts";

test("the time of a thread is in milliseconds", () => {
  expect(parseThreadMs("1302919836 4711 12\n")).toBeCloseTo(1302.92, 2);
});

test("a process has the time that it has used", async () => {
  const used = process.cpuUsage();
  const beforeMs = (used.user + used.system) / 1000;
  expect(await readCpuMs(process.pid)).toBeGreaterThan(beforeMs * 0.9);
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
