import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createBatcher } from "./batcher.ts";

/** A batcher whose writes end when they are let go. */
function createHeld(maxItems = 10, refuse: (item: number) => string | undefined = () => undefined) {
  const batches: number[][] = [];
  let letGo = () => {};
  const add = createBatcher(async (items: readonly number[]) => {
    batches.push([...items]);
    await new Promise<void>((resolve) => (letGo = resolve));
    const code = items.map(refuse).find((one) => one !== undefined);
    if (code !== undefined) throw Object.assign(new Error(`refused ${items.join()}`), { code });
    return (item) => item * 2;
  }, maxItems);
  const drain = async (work: Promise<unknown>) => {
    let ended = false;
    const done = work.finally(() => (ended = true)).catch(() => {});
    while (!ended) {
      letGo();
      await nextTurn();
    }
    await done;
  };
  return { batches, add, drain };
}

describe("a batcher", () => {
  it("writes together what comes in one turn, and gives each its result", async () => {
    const { batches, add, drain } = createHeld();
    const results = Promise.all([add(1), add(2), add(3)]);
    await drain(results);
    expect(await results).toEqual([2, 4, 6]);
    expect(batches).toEqual([[1, 2, 3]]);
  });

  it("collects what comes while it writes, in the order it came", async () => {
    const { batches, add, drain } = createHeld();
    const results = [add(1)];
    while (batches.length === 0) await nextTurn();
    results.push(add(2));
    await nextTurn();
    results.push(add(3));
    const all = Promise.all(results);
    await drain(all);
    expect(batches).toEqual([[1], [2, 3]]);
  });

  it("writes no more at once than it may", async () => {
    const { batches, add, drain } = createHeld(2);
    await drain(Promise.all([1, 2, 3, 4, 5].map((item) => add(item))));
    expect(batches).toEqual([[1, 2], [3, 4], [5]]);
  });

  it("starts again after it had nothing to do", async () => {
    const { batches, add, drain } = createHeld();
    await drain(add(1));
    await drain(add(2));
    expect(batches).toEqual([[1], [2]]);
  });

  it("writes the others one by one when one of them is bad", async () => {
    const { batches, add, drain } = createHeld(10, (item) => (item === 2 ? "22P05" : undefined));
    const results = Promise.allSettled([add(1), add(2), add(3)]);
    await drain(results);
    expect(await results).toMatchObject([
      { value: 2 },
      { reason: { message: "refused 2" } },
      { value: 6 },
    ]);
    expect(batches).toEqual([[1, 2, 3], [1], [2], [3]]);
  });

  it("meets an outage once for all, not again for each", async () => {
    const { batches, add, drain } = createHeld(10, () => "57P01");
    const results = Promise.allSettled([add(1), add(2), add(3)]);
    await drain(results);
    expect(batches).toEqual([[1, 2, 3]]);
    expect(await results).toMatchObject([
      { reason: { code: "57P01" } },
      { reason: { code: "57P01" } },
      { reason: { code: "57P01" } },
    ]);
  });

  it("leaves out what nobody waits for any more", async () => {
    const { batches, add, drain } = createHeld();
    let isWanted = true;
    const results = [add(1), add(2, () => isWanted)];
    isWanted = false;
    results.push(add(3, () => isWanted));
    const settled = Promise.allSettled(results);
    await drain(settled);
    expect(batches).toEqual([[1]]);
    expect(await settled).toMatchObject([
      { value: 2 },
      { reason: { type: "service_unavailable" } },
      { reason: { type: "service_unavailable" } },
    ]);
  });

  it("writes a group of which many wait apart, and two such groups at once", async () => {
    const batches: string[] = [];
    const held = new Map<string, () => void>();
    const add = createBatcher(
      async (items: readonly string[]) => {
        const name = [...new Set(items.map((item) => item[0]))].join("");
        batches.push(`${name} ${items.length}`);
        await new Promise<void>((resolve) => held.set(name, resolve));
        return (item) => item;
      },
      20,
      (item) => item.charCodeAt(0),
    );
    const addMany = (group: string, count: number) =>
      Array.from({ length: count }, (_, index) => add(`${group}${index}`));
    const letGo = async (name: string) => {
      held.get(name)?.();
      await nextTurn();
    };
    const all = [...addMany("a", 30), ...addMany("b", 2), ...addMany("c", 1)];
    await nextTurn();
    expect(batches).toEqual(["a 20", "bc 3"]);
    all.push(...addMany("d", 9), ...addMany("e", 9), ...addMany("b", 1));
    await nextTurn();
    expect(batches.splice(0)).toEqual(["a 20", "bc 3", "d 9"]);
    await letGo("bc");
    // The rest of a waits for its own, and e for one of two that are written apart.
    expect(batches.splice(0)).toEqual(["b 1"]);
    await letGo("a");
    expect(batches.splice(0)).toEqual(["e 9"]);
    await letGo("d");
    expect(batches.splice(0)).toEqual(["a 10"]);
    for (const name of ["e", "b", "a"]) await letGo(name);
    expect(await Promise.all(all)).toHaveLength(52);
  });
});
