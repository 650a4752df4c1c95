import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { redisServer, startTestRedis, type TestRedis, until } from "../../testing/redis.ts";
import { createLocalBus, type EventBus, type Hint } from "./bus.ts";
import { createRedisBus, type RedisBus } from "./redis-bus.ts";

const event = (seq: number) => ({ seq, type: "generation_tokens", payload: `{"n":${seq}}` });

/** Two ends of one bus: what is published at one is heard at the other. */
interface Ends {
  readonly near: EventBus;
  readonly far: EventBus;
  close(): Promise<void>;
}

let redis: TestRedis | undefined;
beforeAll(async () => {
  if (!redisServer.isMissing) redis = await startTestRedis();
});
afterAll(() => redis?.kill());

function openRedisBus(url: string, prefix: string): RedisBus {
  return createRedisBus({ url, prefix, onError: () => {} });
}

async function openRedisEnds(): Promise<Ends & { near: RedisBus; far: RedisBus }> {
  const prefix = `test-${randomUUID()}`;
  const near = openRedisBus(redis!.url, prefix);
  const far = openRedisBus(redis!.url, prefix);
  await until(() => near.isConnected() && far.isConnected());
  const close = async () => void (await Promise.all([near.close(), far.close()]));
  return { near, far, close };
}

const implementations = [
  {
    suite: "in one process",
    skip: false,
    open: async (): Promise<Ends> => {
      const bus = createLocalBus();
      return { near: bus, far: bus, close: async () => {} };
    },
  },
  { suite: `on Redis${redisServer.suffix}`, skip: redisServer.isMissing, open: openRedisEnds },
];

/** Publishes until the far end hears it: a subscription takes effect at some time. */
async function publishUntilHeard(bus: EventBus, hint: Hint, heard: () => boolean): Promise<void> {
  await until(() => {
    if (!heard()) bus.publish([hint]);
    return heard();
  });
}

for (const { suite, skip, open } of implementations) {
  describe.skipIf(skip)(`the bus ${suite}`, () => {
    it("carries a hint with its events to the subscribers of its topic", async () => {
      const { near, far, close } = await open();
      const heard: Hint[] = [];
      const stop = far.subscribe("log:a", (hint) => heard.push(hint));
      const hint: Hint = { topic: "log:a", lastSeq: 2, events: [event(1), event(2)] };
      await publishUntilHeard(near, hint, () => heard.length > 0);
      expect(heard[0]).toEqual(hint);
      stop();
      await close();
    });

    it("keeps the order of a topic's hints", async () => {
      const { near, far, close } = await open();
      const heard: number[] = [];
      const stop = far.subscribe("log:a", (hint) => heard.push(hint.lastSeq));
      await publishUntilHeard(near, { topic: "log:a", lastSeq: 0 }, () => heard.length > 0);
      const hints = Array.from({ length: 500 }, (_, index) => index + 1);
      for (const lastSeq of hints) near.publish([{ topic: "log:a", lastSeq }]);
      await until(() => heard.at(-1) === 500);
      expect(heard.filter((lastSeq) => lastSeq > 0)).toEqual(hints);
      stop();
      await close();
    });

    it("tells nothing of other topics, and nothing once a listener has left", async () => {
      const { near, far, close } = await open();
      const heard: Hint[] = [];
      const others: Hint[] = [];
      const stop = far.subscribe("log:a", (hint) => others.push(hint));
      const stopAll = far.subscribe("keys", (hint) => heard.push(hint));
      await publishUntilHeard(near, { topic: "keys", workspaceId: 1 }, () => heard.length > 0);
      near.publish([
        { topic: "log:b", lastSeq: 1 },
        { topic: "agents", workspaceId: 1 },
      ]);
      stop();
      near.publish([{ topic: "log:a", lastSeq: 1 }]);
      const before = heard.length;
      await publishUntilHeard(near, { topic: "keys", workspaceId: 1 }, () => heard.length > before);
      expect(others).toEqual([]);
      stopAll();
      await close();
    });

    it("tells each of several listeners of a topic, in the publisher's process once", async () => {
      const { near, far, close } = await open();
      const first: Hint[] = [];
      const second: Hint[] = [];
      const own: Hint[] = [];
      const stops = [
        far.subscribe("runs", (hint) => first.push(hint)),
        far.subscribe("runs", (hint) => second.push(hint)),
      ];
      const added = { topic: "runs", cause: "added" } as const;
      await publishUntilHeard(near, added, () => first.length > 0 && second.length > 0);
      const stopOwn = near.subscribe("log:a", (hint) => own.push(hint));
      near.publish([{ topic: "log:a", lastSeq: 1 }]);
      const before = first.length;
      await publishUntilHeard(near, added, () => first.length > before);
      expect(own).toHaveLength(1);
      for (const stop of [...stops, stopOwn]) stop();
      await close();
    });
  });
}

describe.skipIf(redisServer.isMissing)(`the bus on Redis, on bad days${redisServer.suffix}`, () => {
  it("tells what may have been missed when a subscription begins", async () => {
    const { far, close } = await openRedisEnds();
    const doubtful: string[] = [];
    far.onGap((logIds) => doubtful.push(...logIds));
    const stop = far.subscribe("log:a", () => {});
    await until(() => doubtful.length > 0);
    expect(doubtful).toEqual(["a"]);
    stop();
    await close();
  });

  it.each(["killed", "frozen"] as const)("comes back from a server that was %s", async (fate) => {
    const { near, far, close } = await openRedisEnds();
    const doubtful: string[] = [];
    const heard: number[] = [];
    const woken: Hint[] = [];
    far.onGap((logIds) => doubtful.push(...logIds));
    far.subscribe("log:a", (hint) => heard.push(hint.lastSeq));
    far.subscribe("runs", (hint) => woken.push(hint));
    await publishUntilHeard(near, { topic: "log:a", lastSeq: 1 }, () => heard.length > 0);

    if (fate === "killed") await redis!.kill();
    else redis!.freeze();
    await until(() => !near.isConnected() && !far.isConnected());
    // Nothing throws, and hints within the process continue.
    const own: number[] = [];
    near.subscribe("log:b", (hint) => own.push(hint.lastSeq));
    near.publish([{ topic: "log:b", lastSeq: 7 }]);
    expect(own).toEqual([7]);

    doubtful.length = 0;
    woken.length = 0;
    if (fate === "killed") await redis!.start();
    else redis!.thaw();
    await until(() => near.isConnected() && far.isConnected() && doubtful.includes("a"));
    expect(woken).not.toEqual([]);
    await publishUntilHeard(near, { topic: "log:a", lastSeq: 9 }, () => heard.includes(9));
    await close();
  });

  it("holds a bounded amount for a server that takes nothing", async () => {
    const { near, close } = await openRedisEnds();
    redis!.freeze();
    const payload = "x".repeat(60_000);
    const hint: Hint = { topic: "log:a", lastSeq: 1, events: [{ ...event(1), payload }] };
    const before = process.memoryUsage().rss;
    for (let sent = 0; sent < 5000; sent++) near.publish([hint]);
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024);
    redis!.thaw();
    await until(() => near.isConnected());
    await close();
  });
});
