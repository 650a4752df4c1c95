import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import type { Claimed } from "@parley/core";
import { describe, expect, it } from "vitest";
import { createClaimLoop } from "./claim-loop.ts";

const nothing: Claimed = { runs: [], more: false, after: 0 };

/** A loop whose claims are answered by the test. */
function createTestLoop() {
  const claims: { limit: number; after: number; answer: (claimed: Claimed) => void }[] = [];
  const places = { free: 10 };
  const loop = createClaimLoop({
    free: () => places.free,
    claim: (limit, after) =>
      new Promise((answer) => {
        claims.push({ limit, after, answer });
      }),
    start: async () => {},
    attempt: (work) => work(),
  });
  return { loop, claims, places };
}

describe("a loop of claims", () => {
  it("makes one claim at a time, and one more for all that called meanwhile", async () => {
    const { loop, claims } = createTestLoop();
    for (let count = 0; count < 3; count++) loop.wake();
    expect(claims).toHaveLength(1);
    claims[0]!.answer(nothing);
    await turn();
    expect(claims).toHaveLength(2);
    claims[1]!.answer(nothing);
    await turn();
    expect(claims).toHaveLength(2);
  });

  it("claims again after it found no free place, once a run has ended", async () => {
    const { loop, claims, places } = createTestLoop();
    places.free = 0;
    loop.wake();
    expect(claims).toEqual([]);
    places.free = 1;
    loop.ended();
    await sleep(10);
    expect(claims).toMatchObject([{ limit: 1 }]);
  });

  it("claims again when a run ended that the claim may have counted", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    loop.ended();
    claims[0]!.answer({ ...nothing, more: true });
    await turn();
    expect(claims).toHaveLength(2);
  });

  it("leaves ends alone while nothing was left behind", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    claims[0]!.answer(nothing);
    await turn();
    loop.ended();
    await sleep(10);
    expect(claims).toHaveLength(1);
  });

  it("goes on behind the workspaces that it has looked at", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    claims[0]!.answer({ ...nothing, after: 64 });
    await turn();
    expect(claims[1]).toMatchObject({ after: 64 });
    claims[1]!.answer(nothing);
    await turn();
    expect(claims).toHaveLength(2);
  });

  it("claims no more once it is closed", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    loop.wake();
    const closed = loop.close();
    claims[0]!.answer({ ...nothing, more: true });
    await closed;
    loop.wake();
    loop.ended();
    await sleep(10);
    expect(claims).toHaveLength(1);
  });
});
