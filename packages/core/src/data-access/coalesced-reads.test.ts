import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createCoalescedReads } from "./coalesced-reads.ts";

/** Coalesced reads that end when they are released, each with its number. */
function createHeld(maxItems = 10) {
  const reads: string[][] = [];
  const held: PromiseWithResolvers<void>[] = [];
  const ask = createCoalescedReads(async (items: readonly string[]) => {
    const number = reads.push([...items]);
    const end = Promise.withResolvers<void>();
    held.push(end);
    await end.promise;
    return (item) => `${item}${number}`;
  }, maxItems);
  const begun = async (count: number) => {
    while (reads.length < count) await nextTurn();
  };
  return { reads, held, ask, begun };
}

describe("coalesced reads", () => {
  it("answer no call from a read that began before it", async () => {
    const { reads, held, ask, begun } = createHeld();
    const first = [ask("a"), ask("a"), ask("b")];
    await begun(1);
    // The same items again, during the first read.
    const second = [ask("a"), ask("c"), ask("a")];
    held[0]!.resolve();
    expect(await Promise.all(first)).toEqual(["a1", "a1", "b1"]);
    await begun(2);
    held[1]!.resolve();
    expect(await Promise.all(second)).toEqual(["a2", "c2", "a2"]);
    expect(reads).toEqual([
      ["a", "b"],
      ["a", "c"],
    ]);
  });

  it("tell items apart by what they are, not by what they hold", async () => {
    const one = { id: 1, role: "user" };
    const other = { id: 1, role: "admin" };
    const ask = createCoalescedReads(async () => (item: typeof one) => item.role, 10);
    expect(await Promise.all([ask(one), ask(other), ask(one)])).toEqual(["user", "admin", "user"]);
  });

  it("read no more at once than they may", async () => {
    const { reads, held, ask, begun } = createHeld(2);
    const all = Promise.all(["a", "b", "c", "d", "e"].map(ask));
    for (let count = 1; count <= 3; count++) {
      await begun(count);
      held[count - 1]!.resolve();
    }
    expect(await all).toEqual(["a1", "b1", "c2", "d2", "e3"]);
    expect(reads).toEqual([["a", "b"], ["c", "d"], ["e"]]);
  });

  it("fail for all calls that share a read, and for no others", async () => {
    const { held, ask, begun } = createHeld();
    const first = [ask("a"), ask("a")];
    await begun(1);
    const second = ask("a");
    held[0]!.reject(new Error("no"));
    const settled = await Promise.allSettled(first);
    expect(settled.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    await begun(2);
    held[1]!.resolve();
    expect(await second).toBe("a2");
  });
});
