import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { bundleProgram } from "./bundle-program.ts";

const CEILING_BYTES = 536_870_912;
const letters = "abcdefghijklmnopqrstuvwxyzABCDEF";

/** An enum each member of which is twice the one before, which the bundler computes. */
function doubleEnum(members: number): string {
  const lines = Array.from({ length: members - 1 }, (_, index) => {
    const before = `m${letters[index]}`;
    return `m${letters[index + 1]}=\`\${${before}}\${${before}}\`,\n`;
  });
  return `enum E{ma="xxxxxxxx",\n${lines.join("")}}export {}`;
}

/** The most that this process's descendants had at once, as the kernel remembers it of each of them. */
async function peakOfDescendants<T>(run: () => Promise<T>): Promise<{ result: T; bytes: number }> {
  const peaks = new Map<number, number>();
  const look = (pid: number): void => {
    for (const child of childrenOf(pid)) {
      const peak = Number(/VmHWM:\s*(\d+)/.exec(read(`/proc/${child}/status`))?.[1] ?? 0) * 1024;
      peaks.set(child, Math.max(peak, peaks.get(child) ?? 0));
      look(child);
    }
  };
  const timer = setInterval(() => look(process.pid), 10);
  try {
    const result = await run();
    return { result, bytes: peaks.values().reduce((sum, peak) => sum + peak, 0) };
  } finally {
    clearInterval(timer);
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((task) => read(`/proc/${pid}/task/${task}/children`).split(" "))
      .filter((one) => one !== "")
      .map(Number);
  } catch {
    return [];
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}

describe.runIf(process.platform === "linux")("the bundler of a hostile program", () => {
  it.each([
    ["457 bytes", 26],
    ["474 bytes", 27],
    ["491 bytes", 28],
  ])("stays below its ceiling for %s of doubled constants", async (size, members) => {
    const source = doubleEnum(members);
    expect(`${source.length} bytes`).toBe(size);
    const { result, bytes } = await peakOfDescendants(() => bundleProgram({ "index.ts": source }));
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThan(CEILING_BYTES);
    expect(result).toMatchObject({
      faults: [{ message: expect.stringMatching(/more than \d+ MiB of memory/) as string }],
    });
  });
});
