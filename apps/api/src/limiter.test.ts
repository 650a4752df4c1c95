import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { createLimiter } from "./limiter.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const policy = { name: "x", quota: 3, windowSeconds: 60 };

describe("a limiter", () => {
  it("takes points until none are left, for each subject", async () => {
    const limiter = createLimiter(policy);
    expect(await limiter.consume("a", 2)).toMatchObject({ remaining: 1, refused: false });
    expect(await limiter.consume("a", 2)).toMatchObject({ remaining: 0, refused: true });
    expect(await limiter.consume("b", 3)).toMatchObject({ remaining: 0, refused: false });
  });

  it("forgets whoever was quiet longest when there are too many", async () => {
    const limiter = createLimiter(policy, 2);
    await limiter.consume("a", 1);
    await limiter.consume("b", 1);
    await limiter.consume("a", 1);
    await limiter.consume("c", 1);
    expect(await limiter.consume("a", 1)).toMatchObject({ remaining: 0 });
    expect(await limiter.consume("b", 1)).toMatchObject({ remaining: 2 });
  });

  it("holds no more for a flood of subjects than for as many as it counts", async () => {
    const limiter = createLimiter(policy, 1000);
    const before = heldBytes();
    for (let subject = 0; subject < 100_000; subject++) await limiter.consume(`s${subject}`, 1);
    const held = heldBytes() - before;
    // Where nothing is forgotten, these hold 40 MB.
    expect(held).toBeLessThan(4 * 1024 * 1024);
    expect(await limiter.consume("s99999", 1)).toMatchObject({ remaining: 1 });
  });
});
