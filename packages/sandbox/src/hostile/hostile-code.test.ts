import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Sandbox } from "../contract.ts";
import { openTestSandbox, outcomeOf, runCode, testLimits } from "../../testing/run-code.ts";
import { endless } from "./endless.ts";
import { globalTricks } from "./global-tricks.ts";
import { tricks } from "./tricks.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await openTestSandbox();
});
afterAll(() => sandbox.close());

const secrets = [{ name: "OUTSIDE", value: "a-secret-outside", readable: false }];
/** How long after its limit an execution may end. */
const LATE_MS = 500;

/** Limits that a function reaches in a short while, and by the first of which it is ended; others are far away. */
const limitsFor = (ends: string | RegExp) => {
  const text = typeof ends === "string" ? ends : ends.source;
  if (text.startsWith("timed_out")) return { ...testLimits, timeoutMs: 500 };
  if (text.startsWith("cpu_exceeded") || !text.includes("out_of_memory")) {
    return { ...testLimits, cpuMs: 200 };
  }
  return { ...testLimits, memoryBytes: 8_388_608, cpuMs: 5000, timeoutMs: 30_000 };
};

describe("functions that take too much", () => {
  it.each(endless)("ends %s", async (_name, code, ends) => {
    const limits = limitsFor(ends);
    const expected = typeof ends === "string" ? new RegExp(`^(?:${ends})$`) : ends;
    const { cpuMs: before } = sandbox.state;
    const ran = await runCode(sandbox, code, { limits });
    expect(outcomeOf(ran)).toMatch(expected);
    // The deadline is by the clock, and ends even what waits for a processor.
    expect(ran.tookMs).toBeLessThan(limits.timeoutMs + LATE_MS);
    await expect.poll(() => sandbox.state.busy).toBe(0);
    expect(sandbox.state.cpuMs - before).toBeLessThan(limits.cpuMs + LATE_MS);
  });

  it("ends a hundred at once, while another workspace is served", async () => {
    const limits = { ...testLimits, cpuMs: 30, timeoutMs: 20_000 };
    const flood = Array.from({ length: 100 }, () => runCode(sandbox, "for (;;);", { limits }));
    let isOver = false;
    const flooded = Promise.all(flood).finally(() => (isOver = true));
    let served = 0;
    while (!isOver) {
      expect(outcomeOf(await runCode(sandbox, "return 1;", { workspaceId: 2 }))).toBe("1");
      served++;
    }
    expect(new Set((await flooded).map(outcomeOf))).toEqual(new Set(["cpu_exceeded"]));
    expect(served).toBeGreaterThan(10);
    expect(sandbox.state.processes).toBeLessThanOrEqual(4);
  });

  it("ends what is cancelled within 200 ms, and continues", async () => {
    for (const code of ["for (;;);", "await new Promise((resolve) => setTimeout(resolve, 1e6));"]) {
      let shortestMs = Infinity;
      // Another process may hold the processor for a while.
      for (let attempt = 1; shortestMs >= 200 && attempt <= 5; attempt++) {
        const abort = new AbortController();
        const running = runCode(sandbox, code, { signal: abort.signal });
        let cancelledAt = 0;
        setTimeout(() => {
          cancelledAt = performance.now();
          abort.abort(new Error("enough"));
        }, 100);
        await expect(running).rejects.toThrow("enough");
        // Its process is gone, or ready for another.
        await expect.poll(() => sandbox.state.busy, { interval: 5, timeout: 5000 }).toBe(0);
        shortestMs = Math.min(shortestMs, performance.now() - cancelledAt);
      }
      expect(shortestMs).toBeLessThan(200);
      expect(outcomeOf(await runCode(sandbox, "return 1;"))).toBe("1");
    }
  });
});

describe("functions that want more than they have", () => {
  it.each([...tricks, ...globalTricks])("holds %s", async (_name, code, ends) => {
    const outcome = outcomeOf(
      await runCode(sandbox, code, { secrets, allowedHosts: ["api.example"] }),
    );
    const isExpected = typeof ends === "string" ? outcome === ends : ends.test(outcome);
    expect(isExpected, outcome).toBe(true);
    expect(outcome).not.toContain("a-secret-outside");
  });

  it("leaves nothing behind for the next", async () => {
    const leave = "globalThis.left = 1; Array.prototype.left = 1; JSON.parse = null; return 1;";
    const look = "return [globalThis.left, [].left, typeof JSON.parse];";
    for (let count = 0; count < 5; count++) {
      expect(outcomeOf(await runCode(sandbox, leave))).toBe("1");
      expect(outcomeOf(await runCode(sandbox, look))).toBe('[null,null,"function"]');
    }
  });
});
