import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { isNightly } from "@parley/db/testing";
import { describe, expect, test } from "vitest";
import { readFrames } from "../frames.ts";
import { within } from "../server.ts";
import { type Log, startLogServer } from "./start-log-server.ts";

const MIB = 1024 * 1024;
const LOGS = 2;
const STALLED_PER_LOG = isNightly ? 25 : 8;
const READING_PER_LOG = 2;
const APPENDS = 20;
const EVENTS_PER_APPEND = 100;
// 100 of them are 1 MiB with their envelope.
const TEXT = "x".repeat(10_300);

/** Reads a stream to its end and gives the numbers of its events, into `numbers`. */
async function readNumbers(response: Response, numbers: number[] = []): Promise<number[]> {
  for await (const { data } of readFrames(response)) numbers.push(Number(data["eventId"]));
  return numbers;
}

/** Bytes that the kernel holds to send from a server's port, also of connections it has closed. */
async function unsentBytes(url: string): Promise<number> {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, "0");
  const lines = (await readFile("/proc/net/tcp", "utf8")).split("\n").slice(1);
  const ofServer = lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local]) => local?.endsWith(`:${port}`));
  return ofServer.reduce((sum, fields) => sum + Number.parseInt(fields[4] ?? "0", 16), 0);
}

const total = APPENDS * EVENTS_PER_APPEND + 1;
const all = Array.from({ length: total }, (_, index) => index + 1);

describe("a server", () => {
  test(
    "readers that stop cost little memory, hold up nobody, and miss nothing",
    { timeout: 400_000 },
    async () => {
      await using server = await startLogServer({ PARLEY_STREAM_STALL_MS: 600_000 });
      const logs: Log[] = [];
      while (logs.length < LOGS) logs.push(await server.openLog());
      const openAll = async (perLog: number) =>
        Promise.all(
          logs.flatMap(({ path }) => Array.from({ length: perLog }, () => server.stream(path))),
        );
      // What a first stream and a first megabyte load and cache is not the readers' cost.
      const warm = await server.openLog();
      const warming = readNumbers(await server.stream(warm.path));
      const texts = Array.from({ length: EVENTS_PER_APPEND }, () => TEXT);
      await server.append({ logId: warm.logId, texts, end: true });
      await warming;

      const stalled = await openAll(STALLED_PER_LOG);
      const reading = (await openAll(READING_PER_LOG)).map((one) => readNumbers(one));
      const before = await server.measure();
      expect(before.hub).toEqual({ logs: LOGS, followers: LOGS * (STALLED_PER_LOG + 2) });
      let peakBytes = 0;
      for (let append = 1; append <= APPENDS; append++) {
        const end = append === APPENDS;
        await Promise.all(logs.map(({ logId }) => server.append({ logId, texts, end })));
        const { rssBytes } = await server.measure();
        peakBytes = Math.max(peakBytes, rssBytes - before.rssBytes);
      }
      for (const numbers of await within(100_000, Promise.all(reading))) {
        expect(numbers).toEqual(all);
      }
      expect(peakBytes / MIB).toBeLessThan(60);
      // They hold their places until they have read.
      const after = await server.measure();
      expect(after.hub.followers).toBe(LOGS * STALLED_PER_LOG);

      for (const numbers of await within(
        60_000,
        Promise.all(stalled.map((one) => readNumbers(one))),
      )) {
        expect(numbers).toEqual(all);
      }
      expect((await server.measure()).hub).toEqual({ logs: 0, followers: 0 });
    },
  );

  test.skipIf(process.platform !== "linux")(
    "readers that are cut off for taking nothing leave nothing in the kernel",
    async () => {
      const stallMs = 3000;
      await using server = await startLogServer({ PARLEY_STREAM_STALL_MS: stallMs });
      const { logId, path } = await server.openLog();
      const stalled = await Promise.all(
        Array.from({ length: STALLED_PER_LOG }, () => server.stream(path)),
      );
      const texts = Array.from({ length: EVENTS_PER_APPEND }, () => TEXT);
      for (let append = 0; append < APPENDS; append++) await server.append({ logId, texts });
      const appendedAt = performance.now();
      expect(await unsentBytes(server.url)).toBeGreaterThan(STALLED_PER_LOG * MIB);
      while ((await server.measure()).hub.followers > 0) await sleep(20);
      expect(performance.now() - appendedAt).toBeLessThan(stallMs * 1.5);
      expect(await unsentBytes(server.url)).toBe(0);
      for (const response of stalled) await response.body?.cancel().catch(() => {});
    },
  );

  test("a reader that takes nothing is cut off, and resumes where it was", async () => {
    await using server = await startLogServer({ PARLEY_STREAM_STALL_MS: 300 });
    const { logId, path } = await server.openLog();
    const stalled = await server.stream(path);
    const texts = Array.from({ length: EVENTS_PER_APPEND }, () => TEXT);
    const stalledAt = performance.now();
    for (let append = 0; append < APPENDS; append++) {
      await server.append({ logId, texts, end: append === APPENDS - 1 });
    }
    while ((await server.measure()).hub.followers > 0) await sleep(20);
    expect(performance.now() - stalledAt).toBeGreaterThan(300);

    const seen: number[] = [];
    await expect(readNumbers(stalled, seen)).rejects.toThrow("terminated");
    expect(seen.length).toBeLessThan(total);
    const rest = await readNumbers(await server.stream(`${path}?lastEventId=${seen.at(-1)}`));
    expect([...seen, ...rest]).toEqual(all);
  });
});
