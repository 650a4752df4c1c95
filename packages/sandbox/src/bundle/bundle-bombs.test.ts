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

/**
 * The most that this process's descendants had at once: at each look, the sum of what the kernel remembers as the
 * most of each that lives.
 */
async function peakOfDescendants<T>(run: () => Promise<T>): Promise<{ result: T; bytes: number }> {
  const peakBelow = (pid: number): number =>
    childrenOf(pid).reduce((sum, child) => sum + peakOf(child) + peakBelow(child), 0);
  let bytes = 0;
  const timer = setInterval(() => (bytes = Math.max(bytes, peakBelow(process.pid))), 10);
  try {
    const result = await run();
    return { result, bytes };
  } finally {
    clearInterval(timer);
  }
}

function peakOf(pid: number): number {
  return Number(/VmHWM:\s*(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
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
