import { execFileSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  countDroppedLines,
  type LogDestination,
  MAX_WAITING_BYTES,
  openLogDestination,
} from "./log-destination.ts";

const LINE = `${"x".repeat(999)}\n`;

describe.skipIf(process.platform !== "linux")("a log", () => {
  let folder: string;
  beforeEach(() => void (folder = mkdtempSync(path.join(os.tmpdir(), "parley-log-"))));
  afterEach(() => rmSync(folder, { recursive: true }));

  const open = (fd: number, onRecovered = (_dropped: number): void => {}): LogDestination =>
    openLogDestination({ fd, onRecovered });

  it("on a disk that is full takes lines without an error, and counts what it drops", () => {
    const fd = openSync("/dev/full", "w");
    const before = countDroppedLines();
    const log = open(fd);
    const lines = MAX_WAITING_BYTES / 1000 + 500;
    for (let written = 0; written < lines; written++) log.write(LINE);
    expect(countDroppedLines() - before).toBeGreaterThanOrEqual(499);
    expect(countDroppedLines() - before).toBeLessThanOrEqual(501);
    log.close();
    closeSync(fd);
  });

  it("that nobody reads does not wait, and later has all lines that are not counted, whole", async () => {
    const pipe = path.join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(pipe, "w");
    const onRecovered = vi.fn<(dropped: number) => void>();
    const log = open(fd, onRecovered);
    const lines = 2000;
    for (let line = 0; line < lines; line++) log.write(`${String(line).padStart(999)}\n`);
    let text = "";
    const buffer = Buffer.alloc(65_536);
    await vi.waitFor(
      () => {
        try {
          text += buffer.toString("latin1", 0, readSync(reader, buffer));
        } catch {
          // It is empty for now.
        }
        expect(onRecovered).toHaveBeenCalledOnce();
      },
      { timeout: 20_000, interval: 10 },
    );
    const [dropped] = onRecovered.mock.calls[0]!;
    expect(dropped).toBeGreaterThan(0);
    const numbers = text.trimEnd().split("\n").map(Number);
    expect(numbers).toEqual(Array.from({ length: lines - dropped }, (_, line) => line));
    log.close();
    closeSync(fd);
    closeSync(reader);
  });

  it("whose reader has left takes lines without an error", () => {
    const pipe = path.join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
    const fd = openSync(pipe, "w");
    const log = open(fd);
    closeSync(reader);
    expect(() => log.write(LINE)).not.toThrow();
    log.close();
    closeSync(fd);
  });

  it("in a file has a line when the call returns", () => {
    const file = path.join(folder, "log");
    const fd = openSync(file, "a");
    const log = open(fd);
    log.write(LINE);
    expect(readFileSync(file, "utf8")).toBe(LINE);
    log.close();
    closeSync(fd);
  });
});
