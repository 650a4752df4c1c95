import { describe, expect, it } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

const open = (perWorkspace: number, together = 1) =>
  createFairQueue<string>({ perWorkspace, together: ({ length }) => Math.min(length, together) });

describe("createFairQueue", () => {
  it("lets workspaces take turns, however much each has waiting", () => {
    const queue = open(100);
    for (const item of ["a1", "a2", "a3", "a4"]) queue.push(1, item);
    queue.push(2, "b1");
    queue.push(3, "c1");
    queue.push(2, "b2");
    const taken = Array.from({ length: 8 }, () => queue.take()?.items[0]);
    expect(taken).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4", undefined]);
  });

  it("passes over a workspace that has as much running as it may", () => {
    const queue = open(1);
    for (const item of ["a1", "a2"]) queue.push(1, item);
    expect(queue.take()?.items).toEqual(["a1"]);
    expect(queue.take()).toBeUndefined();
    queue.push(2, "b1");
    expect(queue.take()?.items).toEqual(["b1"]);
    queue.ended(1);
    expect(queue.take()?.items).toEqual(["a2"]);
  });

  it("passes over workspaces that may not run", () => {
    const queue = open(1);
    queue.push(1, "a1");
    queue.push(2, "b1");
    expect(queue.take((workspaceId) => workspaceId !== 1)?.items).toEqual(["b1"]);
    expect(queue.take((workspaceId) => workspaceId !== 1)).toBeUndefined();
    expect(queue.take()?.items).toEqual(["a1"]);
  });

  it("takes several of one workspace together, and those that were put back first", () => {
    const queue = open(2, 2);
    for (const item of ["a1", "a2", "a3"]) queue.push(1, item);
    expect(queue.take()).toEqual({ workspaceId: 1, items: ["a1", "a2"] });
    queue.putBack(1, ["a2"]);
    expect(queue.take()?.items).toEqual(["a2", "a3"]);
    expect(queue.waiting(1)).toBe(0);
  });

  it("leaves out what nobody waits for, and gives the rest when it is cleared", () => {
    const queue = open(1);
    for (const item of ["a1", "a2", "a3"]) queue.push(1, item);
    queue.push(2, "b1");
    queue.remove(1, "a2");
    queue.remove(3, "none");
    expect(queue.clear()).toEqual(["a1", "a3", "b1"]);
    expect(queue.take()).toBeUndefined();
  });
});
