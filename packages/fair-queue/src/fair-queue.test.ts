import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const open = (places: number, together = 1) =>
  createFairQueue<string>({ places, together: ({ length }) => Math.min(length, together) });

describe("createFairQueue", () => {
  it("lets workspaces take turns, however much each has waiting", () => {
    const queue = open(300);
    for (const item of ["a1", "a2", "a3", "a4"]) queue.push(1, item);
    queue.push(2, "b1");
    queue.push(3, "c1");
    queue.push(2, "b2");
    const taken = Array.from({ length: 8 }, () => queue.take()?.items[0]);
    expect(taken).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4", undefined]);
  });

  it("passes over a workspace that has as much running as it may", () => {
    const queue = open(2);
    for (const item of ["a1", "a2"]) queue.push(1, item);
    expect(queue.take()?.items).toEqual(["a1"]);
    expect(queue.take()).toBeUndefined();
    queue.push(2, "b1");
    expect(queue.take()?.items).toEqual(["b1"]);
    queue.ended(1);
    expect(queue.take()?.items).toEqual(["a2"]);
  });

  it("passes over workspaces that may not run", () => {
    const queue = open(2);
    queue.push(1, "a1");
    queue.push(2, "b1");
    expect(queue.take((workspaceId) => workspaceId !== 1)?.items).toEqual(["b1"]);
    expect(queue.take((workspaceId) => workspaceId !== 1)).toBeUndefined();
    expect(queue.take()?.items).toEqual(["a1"]);
  });

  it("takes several of one workspace together, and those that were put back first", () => {
    const queue = open(4, 2);
    for (const item of ["a1", "a2", "a3"]) queue.push(1, item);
    expect(queue.take()).toEqual({ workspaceId: 1, items: ["a1", "a2"] });
    queue.putBack(1, ["a2"]);
    expect(queue.take()?.items).toEqual(["a2", "a3"]);
    expect(queue.waiting(1)).toBe(0);
  });

  it("leaves out what nobody waits for, and gives the rest when it is cleared", () => {
    const queue = open(2);
    for (const item of ["a1", "a2", "a3"]) queue.push(1, item);
    queue.push(2, "b1");
    queue.remove(1, "a2");
    queue.remove(3, "none");
    expect(queue.clear()).toEqual(["a1", "a3", "b1"]);
    expect(queue.take()).toBeUndefined();
  });

  it("gives none more than its part while others wait, and a workspace alone half", () => {
    const queue = open(8);
    const take = () => queue.take()?.workspaceId;
    const fill = (workspaceId: number) => {
      for (let count = 0; count < 10; count++) queue.push(workspaceId, `${workspaceId}`);
    };
    fill(1);
    expect(Array.from({ length: 5 }, take)).toEqual([1, 1, 1, 1, undefined]);
    fill(2);
    fill(3);
    expect(Array.from({ length: 5 }, take)).toEqual([2, 3, 2, 3, undefined]);
    queue.ended(1);
    queue.ended(1);
    expect(take()).toBeUndefined();
    queue.ended(2);
    expect(take()).toBe(2);
  });

  it("says who must give way, and lets that go before the others of its workspace", () => {
    const begun = new Set<string>();
    const queue = createFairQueue<string>({ places: 2, goesFirst: (item) => begun.has(item) });
    for (const item of ["a1", "a2"]) queue.push(1, item);
    queue.push(2, "b1");
    expect([queue.take(), queue.take()].map((taken) => taken?.items[0])).toEqual(["a1", "b1"]);
    expect(queue.owing()).toBeUndefined();
    queue.push(3, "c1");
    expect(queue.owing()).toEqual({ workspaceIds: [1, 2], isAboveShare: false });
    begun.add("a1");
    queue.giveWay(1, "a1");
    expect(queue.take()?.items).toEqual(["c1"]);
    queue.ended(2);
    expect(queue.take()?.items).toEqual(["a1"]);
  });

  it("keeps its places, and leaves no workspace without one if there are enough", () => {
    const step = fc.record({
      does: fc.constantFrom("push", "take", "end", "yield"),
      workspaceId: fc.integer({ min: 1, max: 6 }),
    });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.array(step, { maxLength: 200 }),
        (places, steps) => {
          const queue = createFairQueue<number>({ places });
          const held: number[] = [];
          const waiting: number[] = [];
          const remove = (from: number[], one: number): boolean => {
            const at = from.indexOf(one);
            if (at !== -1) from.splice(at, 1);
            return at !== -1;
          };
          const count = (of: number[], id: number) => of.filter((one) => one === id).length;
          const take = (): void => {
            const taken = queue.take();
            if (taken === undefined) return;
            remove(waiting, taken.workspaceId);
            held.push(taken.workspaceId);
            const workspaces = new Set([...held, ...waiting]).size;
            const share = Math.max(1, Math.floor(places / workspaces));
            expect(count(held, taken.workspaceId)).toBeLessThanOrEqual(share);
          };
          for (const { does, workspaceId } of steps) {
            if (does === "push") {
              queue.push(workspaceId, workspaceId);
              waiting.push(workspaceId);
            } else if (does === "take") take();
            else if (does === "end" && remove(held, workspaceId)) queue.ended(workspaceId);
            else if (does === "yield" && remove(held, workspaceId)) {
              queue.giveWay(workspaceId, workspaceId);
              waiting.push(workspaceId);
            }
            expect(queue.size).toBe(waiting.length);
          }
          // Whoever owes gives way until nobody does: then each that waits has its part, or takes its turn.
          for (let round = 0; round < 100; round++) {
            take();
            const owing = queue.owing();
            if (owing?.isAboveShare !== true) continue;
            const [first] = owing.workspaceIds;
            remove(held, first!);
            queue.giveWay(first!, first!);
            waiting.push(first!);
          }
          expect(held.length).toBeLessThanOrEqual(places);
          const workspaces = new Set([...held, ...waiting]);
          if (workspaces.size > places) return;
          for (const id of workspaces) expect(count(held, id)).toBeGreaterThan(0);
        },
      ),
    );
  });
});
