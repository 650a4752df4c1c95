import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import type { Claimed } from "@parley/core";
import { describe, expect, it, vi } from "vitest";
import { createClaimLoop } from "./claim-loop.ts";
import { createBackoff } from "./outage.ts";

const nothing: Claimed = { runs: [], more: false, after: 0 };

/** A loop whose claims are answered by the test. */
function createTestLoop() {
  const claims: {
    limit: number;
    after: number;
    answer: (claimed: Claimed) => void;
    fail: (error: Error) => void;
  }[] = [];
  const places = { free: 10 };
  const loop = createClaimLoop({
    free: () => places.free,
    claim: (limit, after) =>
      new Promise((answer, fail) => {
        claims.push({ limit, after, answer, fail });
      }),
    start: () => {},
    attempt: (work) =>
      work().then(
        () => true,
        () => false,
      ),
    backoff: createBackoff({ random: () => 0 }),
  });
  return { loop, claims, places };
}

describe("a loop of claims", () => {
  it("claims once at a time, and once more for all calls in the meantime", async () => {
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

  it("claims again when a run ends after it had no capacity", async () => {
    const { loop, claims, places } = createTestLoop();
    places.free = 0;
    loop.wake();
    expect(claims).toEqual([]);
    places.free = 1;
    loop.ended();
    await sleep(10);
    expect(claims).toMatchObject([{ limit: 1 }]);
  });

  it("claims again when a run ended that its claim may have counted", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    loop.ended();
    claims[0]!.answer({ ...nothing, more: true });
    await turn();
    expect(claims).toHaveLength(2);
  });

  it("ignores ends if the last claim left no runs", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    claims[0]!.answer(nothing);
    await turn();
    loop.ended();
    await sleep(10);
    expect(claims).toHaveLength(1);
  });

  it("continues after the workspaces that it has looked at", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    claims[0]!.answer({ ...nothing, after: 64 });
    await turn();
    expect(claims[1]).toMatchObject({ after: 64 });
    claims[1]!.answer(nothing);
    await turn();
    expect(claims).toHaveLength(2);
  });

  it("keeps places for what waits of all workspaces, or only of one at its own limit", async () => {
    const { loop, claims, places } = createTestLoop();
    places.free = 60;
    const wanted = () => [loop.wantedPlaces(1), loop.wantedPlaces(2)];
    loop.wake();
    expect(wanted()).toEqual([50, 50]);
    claims[0]!.answer({ ...nothing, more: true, full: [1] });
    await turn();
    expect(wanted()).toEqual([Infinity, 0]);
    loop.wake();
    expect(claims[1]).toMatchObject({ limit: 50 });
    expect(wanted()).toEqual([Infinity, 50]);
    claims[1]!.answer({ ...nothing, more: true });
    await turn();
    expect(wanted()).toEqual([Infinity, Infinity]);
    loop.wake();
    expect(claims[2]).toMatchObject({ limit: 60 });
  });

  it("claims again after a failed claim, with a pause", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    claims[0]!.fail(new Error("The connection broke"));
    await turn();
    expect(claims).toHaveLength(1);
    await vi.waitFor(() => expect(claims).toHaveLength(2), { interval: 5 });
    claims[1]!.answer(nothing);
    await turn();
    expect(claims).toHaveLength(2);
  });

  it("closes at once during the pause after a failed claim", async () => {
    const { loop, claims } = createTestLoop();
    loop.wake();
    claims[0]!.fail(new Error("The connection broke"));
    await turn();
    await loop.close();
    expect(claims).toHaveLength(1);
  });

  it("does not claim after it was closed", async () => {
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
