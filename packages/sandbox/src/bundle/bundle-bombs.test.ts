import { describe, expect, it } from "vitest";
import { peakOfDescendants } from "../../testing/peak-memory.ts";
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
