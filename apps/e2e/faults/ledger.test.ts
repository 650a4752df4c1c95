import { setTimeout as sleep } from "node:timers/promises";
import { redisServer } from "@parley/core/testing-redis";
import { isNightly } from "@parley/db/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ledger } from "../replicas/ledger.ts";
import { expectSoundnessUnderLoad } from "./under-load.ts";
import { startWholeServer, type WholeServer } from "./whole-server.ts";

// Three APIs and three workers on a PostgreSQL and a Redis of their own, under creates, invocations
// and followers, while one thing after the other dies, stands still or refuses. After each: nothing
// that was acknowledged is missing, no answer lacks a word, and every follower saw its log.

/** How long each kind of fault lasts. */
const FAULTS_MS = isNightly ? 90_000 : 6000;
const LEASE_MS = 6000;
/** More connections than the server of the database allows. */
const TOO_MANY_CONNECTIONS = 300;

describe.skipIf(redisServer.isMissing)(
  `the ledger of faults${redisServer.suffix}`,
  { timeout: 400_000 },
  () => {
    let server: WholeServer;
    beforeAll(async () => {
      server = await startWholeServer({
        PARLEY_LEASE_MS: String(LEASE_MS),
        PARLEY_SHUTDOWN_PATIENCE_MS: isNightly ? "5000" : "2000",
      });
    }, 120_000);
    afterAll(async () => server?.[Symbol.asyncDispose]());

    type Fault = (ledger: Ledger) => Promise<void>;
    /** A test of what clients see during a fault. */
    function underLoad(name: string, fault: Fault): void {
      // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- both are the caller's
      test(name, async () => expectSoundnessUnderLoad(server, name, fault));
    }
    /** One that is left to the night. */
    function underLoadAtNight(name: string, fault: Fault): void {
      const title = isNightly ? name : `${name}: in the nightly run`;
      // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- both are the caller's
      test.skipIf(!isNightly)(title, async () => expectSoundnessUnderLoad(server, name, fault));
    }

    const untilEnough = (): number => performance.now() + FAULTS_MS;
    /** Does what takes longer once, and in the long form for as long as the rest. */
    const again = async (work: () => Promise<void>): Promise<void> => {
      const end = untilEnough();
      do await work();
      while (isNightly && performance.now() < end);
    };
    /** Does it again and again, `everyMs` from one beginning to the next. */
    const repeat = async (everyMs: number, work: () => Promise<unknown>): Promise<void> => {
      for (const end = untilEnough(); performance.now() < end;) {
        const next = sleep(everyMs);
        await work();
        await next;
      }
    };
    const any = (count: number): number => Math.floor(Math.random() * count);

    underLoad("a worker is killed every 3 s", () =>
      repeat(3000, () => server.fleet.replaceWorker(any(3), "SIGKILL")),
    );

    underLoad("an API is killed every 5 s", async (ledger) => {
      await repeat(5000, () => server.fleet.replaceApi(any(3), "SIGKILL"));
      // oxlint-disable-next-line vitest/no-standalone-expect -- runs in a test
      expect(ledger.totals.resumes).toBeGreaterThan(0);
    });

    underLoadAtNight("all are replaced one by one, and every request is answered in the end", () =>
      again(async () => {
        for (const index of [0, 1, 2]) {
          await Promise.all([
            server.fleet.replaceApi(index, "SIGTERM"),
            server.fleet.replaceWorker(index, "SIGTERM"),
          ]);
        }
      }),
    );

    underLoadAtNight(
      "a worker hangs past its leases, and writes nothing when it continues",
      async (ledger) => {
        await again(async () => {
          const frozen = server.fleet.workers[any(3)]!;
          frozen.signal("SIGSTOP");
          await sleep(LEASE_MS + 4000);
          frozen.signal("SIGCONT");
        });
        // Others continued what it had.
        const { rows } = await server.pool.query<{ logId: string }>(
          `select log_id as "logId" from runs where attempt > 1 and log_id = any($1)`,
          [[...ledger.acknowledged.values()].map(({ logId }) => logId)],
        );
        // oxlint-disable-next-line vitest/no-standalone-expect -- runs in a test
        expect(rows).not.toEqual([]);
      },
    );

    underLoadAtNight("an API hangs for 3 s, again and again", () =>
      repeat(5000, async () => {
        const frozen = server.fleet.apis[any(3)]!;
        frozen.signal("SIGSTOP");
        await sleep(3000);
        frozen.signal("SIGCONT");
      }),
    );

    underLoad("PostgreSQL crashes again and again", async () => {
      for (let crash = 0; crash < (isNightly ? 5 : 3); crash++) {
        await sleep(2000);
        await server.cluster.stopAtOnce();
        await sleep(1000);
        await server.cluster.start();
      }
    });

    underLoadAtNight("backends of the database are ended at random", () =>
      repeat(200, () =>
        server.pool.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'parley' order by random() limit 3`),
      ),
    );

    underLoadAtNight("the database refuses further connections", () =>
      again(async () => {
        const admin = await server.pool.connect();
        const held: pg.Client[] = [];
        try {
          for (let count = 0; count < TOO_MANY_CONNECTIONS; count++) {
            const client = new pg.Client({ connectionString: server.databaseUrl });
            client.on("error", () => {});
            const isTaken = await client.connect().then(
              () => true,
              () => false,
            );
            if (!isTaken) break;
            held.push(client);
          }
          // Those who come now find no place.
          await admin.query(`
          select pg_terminate_backend(pid) from pg_stat_activity
          where application_name = 'parley' order by random() limit 10`);
          await sleep(5000);
        } finally {
          await Promise.all(held.map((client) => client.end()));
          admin.release();
        }
      }),
    );

    underLoadAtNight("the database is read-only for a while", () =>
      again(async () => {
        const admin = await server.pool.connect();
        try {
          await admin.query("set default_transaction_read_only = off");
          await admin.query("alter system set default_transaction_read_only = on");
          await admin.query("select pg_reload_conf()");
          await sleep(4000);
        } finally {
          await admin.query("alter system reset default_transaction_read_only");
          await admin.query("select pg_reload_conf()");
          admin.release();
        }
      }),
    );

    underLoadAtNight("the hot tables are locked for 3 s", () =>
      again(async () => {
        for (const table of ["logs", "runs", "events"]) {
          const client = await server.pool.connect();
          try {
            await client.query(`begin; lock table ${table} in access exclusive mode`);
            await sleep(3000);
          } finally {
            await client.query("rollback");
            client.release();
          }
        }
      }),
    );

    underLoadAtNight("the workers' connections stand still for 0.3 s and are reset", () =>
      repeat(2000, async () => {
        server.ofWorkers.freeze();
        await sleep(300);
        server.ofWorkers.reset();
      }),
    );

    underLoadAtNight("the APIs' connections stand still for 0.3 s and are reset", () =>
      repeat(2000, async () => {
        server.ofApis.freeze();
        await sleep(300);
        server.ofApis.reset();
      }),
    );

    underLoad("the workers' connections fall silent and are never closed", () =>
      again(async () => {
        server.ofWorkers.abandon();
        await sleep(FAULTS_MS);
        server.ofWorkers.mend();
      }),
    );

    underLoadAtNight("the APIs' connections fall silent and are never closed", () =>
      again(async () => {
        server.ofApis.abandon();
        await sleep(FAULTS_MS);
        server.ofApis.mend();
      }),
    );

    underLoadAtNight("the way to the database is cut", () =>
      again(async () => {
        for (const proxy of [server.ofApis, server.ofWorkers]) {
          proxy.cut();
          await sleep(2000);
          proxy.mend();
          await sleep(1000);
        }
      }),
    );

    underLoadAtNight("the way to the database is slow", () =>
      again(async () => {
        server.ofApis.delay(100);
        server.ofWorkers.delay(100);
        await sleep(FAULTS_MS);
        server.ofApis.mend();
        server.ofWorkers.mend();
      }),
    );

    underLoadAtNight("Redis is killed, starts again, and hangs for 10 s", () =>
      again(async () => {
        await server.redis.kill();
        await sleep(3000);
        await server.redis.start();
        await sleep(3000);
        server.redis.freeze();
        await sleep(10_000);
        server.redis.thaw();
      }),
    );

    underLoadAtNight("the way to Redis is cut, and then slow", () =>
      again(async () => {
        server.toRedis.cut();
        await sleep(5000);
        server.toRedis.mend();
        await sleep(1000);
        server.toRedis.delay(400);
        await sleep(5000);
        server.toRedis.mend();
      }),
    );
  },
);
