import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readEmbeddedUrl } from "@parley/db";
import { isNightly } from "@parley/db/testing";
import pg from "pg";
import { describe, expect, test } from "vitest";
import type { Replicas } from "../replicas/fleet.ts";
import { createLedger, type Ledger, totalsOf } from "../replicas/ledger.ts";
import { startLoad } from "../replicas/load.ts";
import { expectSoundness } from "../replicas/soundness.ts";
import { createSubjects } from "../replicas/subjects.ts";
import { pathsOf, send } from "../request.ts";
import {
  createPlace,
  eventually,
  type Place,
  type ServerProcess,
  startServer,
  type Settings,
  within,
} from "../server.ts";
import { mountPoweredDisk, type PoweredDisk, whyNoPoweredDisk } from "./powered-disk.ts";
import { traceSyncs, whyNoTrace } from "./sync-trace.ts";

// A power cut, as far as it can be played: what was acknowledged was on the disk before.

const CUTS = isNightly ? 6 : 2;
/** Work that is acknowledged between two cuts, so that what waited for the one has come through. */
const BETWEEN_CUTS = 400;
const CREATES = 50;

const noTrace = await whyNoTrace();
const noDisk = await whyNoPoweredDisk();
const because = (reason: string | undefined): string => (reason === undefined ? "" : `: ${reason}`);

describe("a power cut", { timeout: isNightly ? 300_000 : 120_000 }, () => {
  test.skipIf(noTrace !== undefined)(
    `would find each create forced to the disk before it was acknowledged${because(noTrace)}`,
    async () => {
      // A server with its own PostgreSQL, because the calls of both processes are traced.
      await using place = await createPlace({ isEmbedded: true });
      await using server = await startServer(place);
      const create = async (): Promise<Exchange> => {
        const from = Date.now();
        const answer = await send(server, {
          path: pathsOf(server).conversations,
          json: { message: { content: "To be kept", mentions: [] } },
        });
        expect(answer.status).toBe(200);
        return { from, to: Date.now() + 1 };
      };
      await create();
      const trace = await traceSyncs(await postmasterOf(place));
      const exchanges: Exchange[] = [];
      for (let count = 0; count < CREATES; count++) exchanges.push(await create());
      const tookMs = Date.now() - (exchanges[0]?.from ?? 0);
      // What a server does by itself must not be taken for it.
      await sleep(tookMs);
      const ends = (await trace.stop()).map(({ endedAt }) => endedAt);
      const during = ({ from, to }: Exchange) => ends.filter((at) => at >= from && at < to);
      const counts = exchanges.map((exchange) => during(exchange).length);
      const beside = ends.filter((at) => at >= (exchanges.at(-1)?.to ?? 0)).length;
      process.stdout.write(
        `power cut: ${ends.length - beside} syncs of the log in ${CREATES} creates, then ${beside} in ${tookMs} ms\n`,
      );
      expect(counts.filter((count) => count === 0)).toEqual([]);
      expect(beside).toBeLessThan(CREATES / 5);
    },
  );

  test.skipIf(noDisk !== undefined)(
    `loses nothing that was acknowledged${because(noDisk)}`,
    async () => {
      await using disk = await mountPoweredDisk(800);
      const place: Place = {
        directory: path.join(disk.path, "data"),
        databaseUrl: undefined,
        [Symbol.asyncDispose]: async () => {},
      };
      let server = await startServer(place, LIMITS);
      await using ending = new AsyncDisposableStack();
      ending.defer(() => server[Symbol.asyncDispose]());
      const fleet: Replicas = { apis: [server], demo: server.demo };
      const ledger = createLedger();
      const load = startLoad(fleet, ledger, await createSubjects(fleet));
      try {
        for (let cut = 0; cut < CUTS; cut++) {
          await sleep(3000 + Math.random() * 2000);
          await cutPower({ disk, place, fleet, server });
          server = await startServer(place, LIMITS);
          fleet.apis[0] = server;
          await expectAcknowledgements(ledger);
        }
      } finally {
        await within(60_000, load.stop());
        process.stdout.write(`power cut: ${JSON.stringify(totalsOf(ledger))}\n`);
      }
      const pool = new pg.Pool({
        connectionString: await readEmbeddedUrl(place.directory),
        max: 2,
      });
      try {
        await expectFinished(pool);
        const ends = await expectSoundness(pool, ledger);
        process.stdout.write(`power cut: ${JSON.stringify(ends)}\n`);
        expect(ends.succeeded).toBeGreaterThan(100);
      } finally {
        await pool.end();
      }
    },
  );
});

const LIMITS: Settings = {
  PARLEY_MAX_STREAMS_PER_KEY: "10000",
  PARLEY_RATE_READ_PER_MINUTE: "0",
  PARLEY_LEASE_MS: "6000",
};

/** A request and its answer, in milliseconds since 1970. */
interface Exchange {
  readonly from: number;
  readonly to: number;
}

async function postmasterOf({ directory }: Place): Promise<number> {
  return Number.parseInt(
    await readFile(path.join(directory, "postgresql/postmaster.pid"), "utf8"),
    10,
  );
}

interface Powered {
  readonly disk: PoweredDisk;
  readonly place: Place;
  readonly fleet: Replicas;
  readonly server: ServerProcess;
}

/** Cuts the power under a load and gives it back. What nobody has forced to the disk is gone then. */
async function cutPower({ disk, place, fleet, server }: Powered): Promise<void> {
  const unforced = path.join(disk.path, "unforced");
  const postmaster = await postmasterOf(place);
  await writeFile(unforced, "unforced");
  await disk.cutPower();
  // Without a disk nothing may be acknowledged, so clients continue for a while.
  await sleep(300);
  fleet.apis[0] = undefined;
  await server.kill();
  try {
    process.kill(postmaster, "SIGKILL");
  } catch {
    // It has given up already.
  }
  await disk.restorePower();
  expect(await readFile(unforced, "utf8").catch(() => "")).toBe("");
}

/** All is well again once much is acknowledged that was not before. */
async function expectAcknowledgements({ acknowledged }: Ledger): Promise<void> {
  const before = acknowledged.size;
  await eventually(
    async () => (acknowledged.size > before + BETWEEN_CUTS ? { value: true } : {}),
    30_000,
  );
}

/** What nobody followed ends too. */
async function expectFinished(pool: pg.Pool): Promise<void> {
  await eventually(async () => {
    const { rows } = await pool.query("select 1 from runs where status <> 'finished' limit 1");
    return rows.length === 0 ? { value: true } : {};
  }, 60_000);
}
