import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { createLedger, type Ledger, totalsOf } from "../replicas/ledger.ts";
import { startLoad } from "../replicas/load.ts";
import { expectSoundness } from "../replicas/soundness.ts";
import type { WholeServer } from "./whole-server.ts";

/** A statement's deadline, and after it the lease of a run whose worker met it. */
const RECOVERY_MS = 20_000;
/** Requests that are answered once all is well again. */
const ENOUGH = 50;

/** Lets clients work while a fault lasts, and expects that all they were told stays true. */
export async function expectSoundnessUnderLoad(
  server: WholeServer,
  name: string,
  fault: (ledger: Ledger) => Promise<void>,
): Promise<void> {
  const { fleet, subjects, pool } = server;
  const ledger = createLedger();
  const load = startLoad(fleet, ledger, subjects);
  let recoveredMs = Number.NaN;
  try {
    await sleep(2000);
    await fault(ledger);
    recoveredMs = await expectRecovery(server, ledger);
  } finally {
    await load.stop();
    process.stdout.write(`${name}: ${JSON.stringify({ recoveredMs, ...totalsOf(ledger) })}\n`);
  }
  const ends = await expectSoundness(pool, ledger);
  process.stdout.write(`${name}: ${JSON.stringify(ends)}\n`);
  expect(fleet.unexpected()).toEqual([]);
  expect(ends.succeeded).toBeGreaterThan(100);
  expect(ledger.followed.size).toBeGreaterThan(100);
}

/** What was waiting when all was well again is done soon, and what comes then goes well. */
async function expectRecovery({ pool }: WholeServer, ledger: Ledger): Promise<number> {
  const calmAt = performance.now();
  const { rows } = await pool.query<{ last: number }>(
    "select coalesce(max(id), 0)::int as last from runs",
  );
  const last = rows[0]?.last ?? 0;
  const openBefore = async (): Promise<number> => {
    const left = await pool.query<{ count: number }>(
      "select count(*)::int as count from runs where id <= $1 and status <> 'finished'",
      [last],
    );
    return left.rows[0]?.count ?? 0;
  };
  while ((await openBefore()) > 0) {
    expect(performance.now() - calmAt).toBeLessThan(RECOVERY_MS);
    await sleep(100);
  }
  const before = ledger.acknowledged.size;
  while (ledger.acknowledged.size < before + ENOUGH) {
    expect(performance.now() - calmAt).toBeLessThan(RECOVERY_MS);
    await sleep(20);
  }
  return Math.round(performance.now() - calmAt);
}
