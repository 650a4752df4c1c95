import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import {
  parseEndedMs,
  parseResidentBytes,
  parseThreadMs,
  readCpuMs,
  readResidentBytes,
  sumCpuMs,
} from "./proc.ts";

test("the time of a thread is in milliseconds", () => {
  expect(parseThreadMs("1302919836 4711 12\n")).toBeCloseTo(1302.92, 2);
});

const WORK = `
for (const until = Date.now() + 200; Date.now() < until; );
const { user, system } = process.cpuUsage();
console.log((user + system) / 1000);
process.stdin.resume();
`;

test("a process has the time that it has used", async () => {
  // One of its own: threads that have ended, as other tests leave them in this one, are not counted.
  const child = spawn(process.execPath, ["--eval", WORK], { stdio: ["pipe", "pipe", "inherit"] });
  const [usedMs] = (await once(child.stdout, "data")) as [Buffer];
  expect(await readCpuMs(child.pid ?? 0)).toBeGreaterThan(Number(usedMs.toString()) * 0.9);
  child.stdin.end();
  await once(child, "exit");
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

test("the time of ended children is read after a name with spaces", () => {
  const stat = "4711 (a (b) c) S 1 4711 4711 0 -1 4194560 120 340 0 0 7 8 25 17 20 0 1 0 99";
  expect(parseEndedMs(stat)).toBe(420);
});

test("a process that is gone has no ended children", () => {
  expect(parseEndedMs("")).toBe(0);
});

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
