import { randomUUID } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openRedis, type RedisConnection } from "@parley/core";
import { redisServer, startTestRedis, type TestRedis, until } from "@parley/core/testing-redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLimiter, type Limiter } from "./memory-limiter.ts";
import { createSharedLimiter } from "./redis-limiter.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const policy = { name: "x", quota: 3, windowSeconds: 60 };
const hour = { name: "x-hour", quota: 5, windowSeconds: 3600 };

/** Takes points of one policy. */
async function take(limiter: Limiter, subject: string, points: number) {
  const [consumed] = await limiter.consume([{ policy, subject, points }]);
  return consumed!;
}

/** Takes points of the minute and of the hour together, and gives what is left of each. */
async function takeBoth(limiter: Limiter, points: number) {
  const charges = [policy, hour].map((one) => ({ policy: one, subject: "a", points }));
  const consumed = await limiter.consume(charges);
  return consumed.map(({ remaining, refused }) => (refused ? `${remaining} refused` : remaining));
}

let redis: TestRedis | undefined;
const connections: RedisConnection[] = [];
beforeAll(async () => {
  if (!redisServer.isMissing) redis = await startTestRedis();
});
afterAll(async () => {
  for (const connection of connections) connection.disconnect();
  await redis?.kill();
});

async function connect(): Promise<RedisConnection> {
  const connection = openRedis({
    url: redis!.url,
    name: "test",
    onError: () => {},
    commandTimeoutMs: 300,
  });
  connections.push(connection);
  await until(() => connection.status === "ready");
  return connection;
}

const implementations = [
  { suite: "in memory", skip: false, open: async () => createLimiter() },
  {
    suite: `on Redis${redisServer.suffix}`,
    skip: redisServer.isMissing,
    open: async () =>
      createSharedLimiter({ redis: await connect(), prefix: `test-${randomUUID()}` }),
  },
];

for (const { suite, skip, open } of implementations) {
  describe.skipIf(skip)(`a limiter ${suite}`, () => {
    it("takes points until none are left, for each subject", async () => {
      const limiter = await open();
      expect(await take(limiter, "a", 2)).toMatchObject({ remaining: 1, refused: false });
      expect(await take(limiter, "a", 2)).toMatchObject({ remaining: 0, refused: true });
      expect(await take(limiter, "b", 3)).toMatchObject({ remaining: 0, refused: false });
    });

    it("tells when the quota is full again", async () => {
      const limiter = await open();
      const { resetMs, policy: counted } = await take(limiter, "a", 1);
      expect(counted).toBe(policy);
      expect(resetMs).toBeGreaterThan(59_000);
      expect(resetMs).toBeLessThanOrEqual(60_000);
    });

    it("takes nothing of the hour for what the minute refuses, and the other way round", async () => {
      const limiter = await open();
      expect(await takeBoth(limiter, 2)).toEqual([1, 3]);
      expect(await takeBoth(limiter, 2)).toEqual(["0 refused", 3]);
      expect(await takeBoth(limiter, 1)).toEqual(["0 refused", 3]);
      const fresh = await open();
      for (const subject of ["b", "c"]) {
        await fresh.consume([
          { policy: { ...policy, name: `${subject}-minute` }, subject, points: 2 },
          { policy: hour, subject: "a", points: 2 },
        ]);
      }
      expect(await takeBoth(fresh, 2)).toEqual([3, "1 refused"]);
      expect(await takeBoth(fresh, 1)).toEqual([2, 0]);
      expect(await takeBoth(fresh, 1)).toEqual([2, "0 refused"]);
    });

    it("counts calls that come at once", async () => {
      const limiter = await open();
      const calls = await Promise.all(Array.from({ length: 20 }, () => take(limiter, "a", 1)));
      expect(calls.filter(({ refused }) => !refused)).toHaveLength(3);
    });
  });
}

describe.skipIf(redisServer.isMissing)(`limiters on Redis${redisServer.suffix}`, () => {
  it("count together, and each for itself while Redis hangs", async () => {
    const prefix = `test-${randomUUID()}`;
    const near = createSharedLimiter({ redis: await connect(), prefix });
    const far = createSharedLimiter({ redis: await connect(), prefix });
    await take(near, "a", 2);
    expect(await take(far, "a", 1)).toMatchObject({ remaining: 0, refused: false });
    expect(await take(near, "a", 1)).toMatchObject({ refused: true });
    redis!.freeze();
    expect(await take(near, "a", 3)).toMatchObject({ remaining: 0, refused: false });
    expect(await take(near, "a", 1)).toMatchObject({ refused: true });
    expect(await take(far, "a", 1)).toMatchObject({ remaining: 2, refused: false });
    redis!.thaw();
    await until(() => connections.every(({ status }) => status === "ready"));
    await expect.poll(() => take(near, "a", 1)).toMatchObject({ refused: true });
  });
});

describe("a limiter in memory", () => {
  it("forgets the least recent client when there are too many", async () => {
    const limiter = createLimiter(2);
    await take(limiter, "a", 1);
    await take(limiter, "b", 1);
    await take(limiter, "a", 1);
    await take(limiter, "c", 1);
    expect(await take(limiter, "a", 1)).toMatchObject({ remaining: 0 });
    expect(await take(limiter, "b", 1)).toMatchObject({ remaining: 2 });
  });

  it("holds no more for a flood of subjects than for as many as it counts", async () => {
    const limiter = createLimiter(1000);
    const before = heldBytes();
    for (let subject = 0; subject < 100_000; subject++) await take(limiter, `s${subject}`, 1);
    const held = heldBytes() - before;
    // If nothing is forgotten, these hold 40 MB.
    expect(held).toBeLessThan(4 * 1024 * 1024);
    expect(await take(limiter, "s99999", 1)).toMatchObject({ remaining: 1 });
  });
});
