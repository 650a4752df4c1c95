import { randomUUID } from "node:crypto";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openRedis, type RedisConnection } from "@parley/core";
import { redisServer, startTestRedis, type TestRedis, until } from "@parley/core/testing-redis";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLimiter } from "./limiter.ts";
import { createSharedLimiter } from "./shared-limiter.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const policy = { name: "x", quota: 3, windowSeconds: 60 };

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
  { suite: "in memory", skip: false, open: async () => createLimiter(policy) },
  {
    suite: `on Redis${redisServer.suffix}`,
    skip: redisServer.isMissing,
    open: async () =>
      createSharedLimiter(policy, { redis: await connect(), prefix: `test-${randomUUID()}` }),
  },
];

for (const { suite, skip, open } of implementations) {
  describe.skipIf(skip)(`a limiter ${suite}`, () => {
    it("takes points until none are left, for each subject", async () => {
      const limiter = await open();
      expect(await limiter.consume("a", 2)).toMatchObject({ remaining: 1, refused: false });
      expect(await limiter.consume("a", 2)).toMatchObject({ remaining: 0, refused: true });
      expect(await limiter.consume("b", 3)).toMatchObject({ remaining: 0, refused: false });
    });

    it("tells when the quota is full again", async () => {
      const limiter = await open();
      const { resetMs, policy: counted } = await limiter.consume("a", 1);
      expect(counted).toBe(policy);
      expect(resetMs).toBeGreaterThan(59_000);
      expect(resetMs).toBeLessThanOrEqual(60_000);
    });

    it("counts calls that come at once", async () => {
      const limiter = await open();
      const calls = await Promise.all(Array.from({ length: 20 }, () => limiter.consume("a", 1)));
      expect(calls.filter(({ refused }) => !refused)).toHaveLength(3);
    });
  });
}

describe.skipIf(redisServer.isMissing)(`limiters on Redis${redisServer.suffix}`, () => {
  it("count together, and each for itself while Redis hangs", async () => {
    const prefix = `test-${randomUUID()}`;
    const near = createSharedLimiter(policy, { redis: await connect(), prefix });
    const far = createSharedLimiter(policy, { redis: await connect(), prefix });
    await near.consume("a", 2);
    expect(await far.consume("a", 1)).toMatchObject({ remaining: 0, refused: false });
    expect(await near.consume("a", 1)).toMatchObject({ refused: true });
    redis!.freeze();
    expect(await near.consume("a", 3)).toMatchObject({ remaining: 0, refused: false });
    expect(await near.consume("a", 1)).toMatchObject({ refused: true });
    expect(await far.consume("a", 1)).toMatchObject({ remaining: 2, refused: false });
    redis!.thaw();
    await until(() => connections.every(({ status }) => status === "ready"));
    await expect.poll(() => near.consume("a", 1)).toMatchObject({ refused: true });
  });
});

describe("a limiter in memory", () => {
  it("forgets whoever was quiet longest when there are too many", async () => {
    const limiter = createLimiter(policy, 2);
    await limiter.consume("a", 1);
    await limiter.consume("b", 1);
    await limiter.consume("a", 1);
    await limiter.consume("c", 1);
    expect(await limiter.consume("a", 1)).toMatchObject({ remaining: 0 });
    expect(await limiter.consume("b", 1)).toMatchObject({ remaining: 2 });
  });

  it("holds no more for a flood of subjects than for as many as it counts", async () => {
    const limiter = createLimiter(policy, 1000);
    const before = heldBytes();
    for (let subject = 0; subject < 100_000; subject++) await limiter.consume(`s${subject}`, 1);
    const held = heldBytes() - before;
    // Where nothing is forgotten, these hold 40 MB.
    expect(held).toBeLessThan(4 * 1024 * 1024);
    expect(await limiter.consume("s99999", 1)).toMatchObject({ remaining: 1 });
  });
});
