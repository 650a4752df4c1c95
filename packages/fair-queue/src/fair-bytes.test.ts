import { expect, it } from "vitest";
import fc from "fast-check";
import { createFairBytes } from "./fair-bytes.ts";

const { signal } = new AbortController();
const settled = async () => new Promise((resolve) => setImmediate(resolve));

it("holds no more than its bytes, lets everybody in, and starves no workspace", async () => {
  const request = fc.record({
    workspaceId: fc.integer({ min: 1, max: 4 }),
    bytes: fc.integer({ min: 0, max: 120 }),
    isAborted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(request, { maxLength: 40 }), async (requests) => {
      const room = createFairBytes(100);
      let entered = 0;
      const done = requests.map(async ({ workspaceId, bytes, isAborted }) => {
        const abort = new AbortController();
        const entering = room.enter(workspaceId, bytes, abort.signal);
        if (isAborted) abort.abort(new Error("gone"));
        const leave = await entering.catch((error: unknown) => {
          if (!(error instanceof Error && error.message === "gone")) throw error;
        });
        if (leave === undefined) return;
        entered++;
        expect(room.held).toBeLessThanOrEqual(100);
        await settled();
        leave();
        leave();
      });
      await Promise.all(done);
      expect(room.held).toBe(0);
      expect(entered).toBeGreaterThanOrEqual(requests.filter((one) => !one.isAborted).length);
    }),
  );
});

it("lets the workspace in that holds the least, and nobody pass it", async () => {
  const room = createFairBytes(100);
  const order: string[] = [];
  const enter = async (name: string, workspaceId: number, bytes: number) => {
    const leave = await room.enter(workspaceId, bytes, signal);
    order.push(name);
    return leave;
  };
  const first = await enter("a1", 1, 40);
  const second = await enter("a2", 1, 60);
  const waiting = [enter("a3", 1, 50), enter("a4", 1, 10), enter("b1", 2, 60)];
  second();
  const third = await waiting[2]!;
  first();
  await settled();
  expect(order).toEqual(["a1", "a2", "b1"]);
  third();
  await Promise.all(waiting);
  expect(order).toEqual(["a1", "a2", "b1", "a3", "a4"]);
});
