import { setTimeout as sleep } from "node:timers/promises";
import { redisServer, startTestRedis, type TestRedis } from "@parley/core/testing-redis";
import { isFaultsRun, isFullRun } from "@parley/db/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createPlace, type Place } from "../server.ts";
import { type Fleet, startFleet } from "./fleet.ts";
import { createLedger, type Ledger, totalsOf } from "./ledger.ts";
import { startLoad } from "./load.ts";
import { findPostgres, type PostgresCluster, startCluster } from "./postgres-cluster.ts";
import { expectSoundness } from "./soundness.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";

// Three APIs and three workers on a PostgreSQL and a Redis of their own, under creates and followers,
// while one thing after the other dies. After each: nothing that was acknowledged is missing, and
// every follower saw its log.

const bin = findPostgres();
const isAsked = isFaultsRun || isFullRun;
const skip = bin === undefined || redisServer.isMissing || !isAsked;
const reason = isAsked
  ? bin === undefined
    ? ": PostgreSQL is not installed"
    : redisServer.suffix
  : ": only in the full run";
/** How long each thing goes on dying. */
const FAULTS_MS = isFaultsRun ? 90_000 : 12_000;
const RECOVERY_MS = 10_000;
const LEASE_MS = 6000;

describe.skipIf(skip)(`replicas on bad days${reason}`, { timeout: 300_000 }, () => {
  let cluster: PostgresCluster;
  let redis: TestRedis;
  let toRedis: TcpProxy;
  let place: Place;
  let fleet: Fleet;
  let pool: pg.Pool;

  beforeAll(async () => {
    cluster = await startCluster(bin!);
    redis = await startTestRedis();
    toRedis = await startTcpProxy(Number(new URL(redis.url).port));
    const databaseUrl = `postgres://root@127.0.0.1:${cluster.port}/postgres`;
    place = { ...(await createPlace("pglite", { bare: true })), databaseUrl };
    pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
    pool.on("error", () => {});
    fleet = await startFleet(
      place,
      { apis: 3, workers: 3 },
      {
        REDIS_URL: `redis://127.0.0.1:${toRedis.port}`,
        PARLEY_LOG_LEVEL: "info",
        PARLEY_LEASE_MS: String(LEASE_MS),
        PARLEY_SHUTDOWN_PATIENCE_MS: isFaultsRun ? "5000" : "2000",
        PARLEY_MAX_STREAMS_PER_KEY: "10000",
        PARLEY_RATE_READ_PER_MINUTE: "0",
      },
    );
  }, 120_000);

  afterAll(async () => {
    await fleet?.[Symbol.asyncDispose]();
    await pool?.end();
    await toRedis?.[Symbol.asyncDispose]();
    await redis?.kill();
    await place?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  /** A test of what clients see while something dies. */
  function underLoad(name: string, break_: (ledger: Ledger) => Promise<void>): void {
    // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- both are the caller's
    test(name, async () => {
      const ledger = createLedger();
      const load = startLoad(fleet, ledger);
      try {
        await sleep(2000);
        await break_(ledger);
        await expectRecovery(ledger);
      } finally {
        await load.stop();
        process.stdout.write(`${name}: ${JSON.stringify(totalsOf(ledger))}\n`);
      }
      await expectSoundness(pool, ledger);
      expect(fleet.unexpected()).toEqual([]);
      expect(ledger.acknowledged.size).toBeGreaterThan(100);
      expect(ledger.followed.size).toBeGreaterThan(100);
    });
  }

  /** What was waiting when all was well again is done soon, and what comes then goes well. */
  async function expectRecovery(ledger: Ledger): Promise<void> {
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
    while (ledger.acknowledged.size < before + 50) {
      expect(performance.now() - calmAt).toBeLessThan(RECOVERY_MS);
      await sleep(20);
    }
    process.stdout.write(`recovered in ${Math.round(performance.now() - calmAt)} ms\n`);
  }

  const untilEnough = (): number => performance.now() + FAULTS_MS;
  /** Does what takes longer once, and in the long form for as long as the rest. */
  const again = async (work: () => Promise<void>): Promise<void> => {
    const end = untilEnough();
    do await work();
    while (isFaultsRun && performance.now() < end);
  };
  const any = (count: number): number => Math.floor(Math.random() * count);

  underLoad("a worker is killed every 3 s", async () => {
    for (const end = untilEnough(); performance.now() < end;) {
      const next = sleep(3000);
      await fleet.replaceWorker(any(3), "SIGKILL");
      await next;
    }
  });

  underLoad("an API is killed every 5 s", async (ledger) => {
    for (const end = untilEnough(); performance.now() < end;) {
      const next = sleep(5000);
      await fleet.replaceApi(any(3), "SIGKILL");
      await next;
    }
    // oxlint-disable-next-line vitest/no-standalone-expect -- runs in a test
    expect(ledger.totals.resumes).toBeGreaterThan(0);
  });

  underLoad("PostgreSQL crashes again and again", async () => {
    for (let crash = 0; crash < (isFaultsRun ? 5 : 3); crash++) {
      await sleep(2000);
      await cluster.stopAtOnce();
      await sleep(1000);
      await cluster.start();
    }
  });

  underLoad("Redis is killed, starts again, and hangs for 10 s", async () =>
    again(async () => {
      await redis.kill();
      await sleep(3000);
      await redis.start();
      await sleep(3000);
      redis.freeze();
      await sleep(10_000);
      redis.thaw();
    }),
  );

  underLoad(
    "a worker hangs past its leases, and writes nothing when it goes on",
    async (ledger) => {
      await again(async () => {
        const frozen = fleet.workers[any(3)]!;
        frozen.signal("SIGSTOP");
        await sleep(LEASE_MS + 4000);
        frozen.signal("SIGCONT");
      });
      // Others went on with what it had.
      const { rows } = await pool.query<{ logId: string }>(
        `select log_id as "logId" from runs where attempt > 1 and log_id = any($1)`,
        [[...ledger.acknowledged.values()].map(({ messageId }) => messageId)],
      );
      // oxlint-disable-next-line vitest/no-standalone-expect -- runs in a test
      expect(rows).not.toEqual([]);
    },
  );

  underLoad("all are replaced one by one, and no client is told of it for good", async () =>
    again(async () => {
      for (const index of [0, 1, 2]) {
        await Promise.all([
          fleet.replaceApi(index, "SIGTERM"),
          fleet.replaceWorker(index, "SIGTERM"),
        ]);
      }
    }),
  );

  underLoad("the way to Redis is cut, and then slow", async () =>
    again(async () => {
      toRedis.cut();
      await sleep(5000);
      toRedis.mend();
      await sleep(1000);
      toRedis.delay(400);
      await sleep(5000);
      toRedis.mend();
    }),
  );
});
