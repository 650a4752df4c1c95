import type { Traffic } from "@parley/core/testing-traffic";
import type pg from "pg";
import { expect } from "vitest";
import { eventually } from "../server.ts";
import { countWrites } from "./writes.ts";

/** The cost of one operation: how often each process asks another, by both. */
export type Costs = Readonly<Record<string, Readonly<Record<string, number>>>>;

const TIMES = 40;

/** Counts what operations ask for, on the wires of `taps` and in the tables behind `pool`. */
export async function createCosts(taps: Readonly<Record<string, Traffic>>, pool: pg.Pool) {
  const writes = await countWrites(pool);

  const clearTaps = () => {
    for (const tap of Object.values(taps)) tap.clear();
  };

  const untilAllEnded = () =>
    eventually(async () => {
      const { rows } = await pool.query("select 1 from runs where status <> 'finished' limit 1");
      return rows.length === 0 ? { value: true } : {};
    }, 20_000);

  /** What one of them asks for, of `TIMES` one after the other. */
  async function costOf(operation: () => Promise<unknown>): Promise<Costs> {
    // Each connection prepares its statements first, and directories are read.
    for (let index = 0; index < 3; index++) await operation();
    await untilAllEnded();
    clearTaps();
    await writes.clear();
    for (let index = 0; index < TIMES; index++) await operation();
    await untilAllEnded();
    const cost = Object.entries(taps).map(([name, { counts }]) => [name, perOperation(counts)]);
    return {
      ...(Object.fromEntries(cost) as Costs),
      rows: perOperation(await writes.read()),
    };
  }

  /**
   * What runs every second in the background is rarer than the operations, but for heartbeats; and the words of messages
   * are written by a run of their own, many at once (docs/decisions/words-are-indexed-apart.md).
   */
  const perOperation = (counts: ReadonlyMap<string, number>): Record<string, number> =>
    Object.fromEntries(
      [...counts]
        .map(([name, count]) => [name, Math.round(count / TIMES)] as const)
        .filter(([name, count]) => count > 0 && name !== "PING" && !name.endsWith(" message_words"))
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );

  return { clearTaps, untilAllEnded, costOf };
}

/** The rows that a create with one turn writes. */
export const turnRows = {
  "insert conversations": 1,
  "insert events": 5,
  "insert logs": 2,
  "insert messages": 2,
  "insert runs": 1,
  "update logs": 3,
  "update messages": 1,
  "update runs": 2,
};

/** Expects no more of anything than was decided; what is not named is not to be at all. */
export function expectAtMost(cost: Costs, decided: Costs): void {
  const tooMuch = Object.entries(cost).flatMap(([of, counts]) =>
    Object.entries(counts)
      .filter(([name, count]) => count > (decided[of]?.[name] ?? 0))
      .map(([name, count]) => `${of}: ${count} x ${name}`),
  );
  expect(tooMuch).toEqual([]);
  // A count of nothing would keep every bound.
  for (const [name, counts] of Object.entries(decided)) {
    expect(Object.keys(cost[name] ?? {})).toEqual(Object.keys(counts));
  }
}
