import { beforeEach, describe, expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { openTestLog, testToken } from "../../testing/testing.ts";
import { appendEvents } from "./append.ts";
import { inTransaction } from "./transaction.ts";

describe("the lag from commit to delivery", () => {
  const onDelivery = (lagMs: number) => void lagsMs.push(lagMs);
  const test = coreTest({ safetyPollMs: 50, onDelivery });
  const lagsMs: number[] = [];
  beforeEach(() => void lagsMs.splice(0));

  const append = (logId: string, count: number, agoMs = 0) => {
    const event = { ...testToken("x"), created: Date.now() - agoMs };
    return { logId, events: Array.from({ length: count }, () => event) };
  };
  const publish = (logId: string, count: number) =>
    inTransaction(test.core, async ({ db, afterCommit }) => {
      await appendEvents(db, [append(logId, count)], afterCommit);
    });

  /** Follows a log; `until` resolves once the follower has that event. */
  function follow(logId: string, after: number) {
    let seen = after;
    let wake = (): void => {};
    const take = (events: readonly { seq: number }[]): boolean => {
      seen = events.at(-1)?.seq ?? seen;
      wake();
      return true;
    };
    const follower = { take, end: () => {}, fail: () => {} };
    const { stop } = test.core.hub.follow(follower, { logId, after });
    const until = async (seq: number): Promise<void> => {
      while (seen < seq) await new Promise<void>((resolve) => (wake = resolve));
    };
    return { until, stop };
  }

  it("is reported once for events that followers get together", async () => {
    const logId = await openTestLog(test.core);
    await publish(logId, 1);
    const followers = [follow(logId, 0), follow(logId, 0), follow(logId, 0)];
    for (const { until } of followers) await until(1);
    await publish(logId, 3);
    for (const { until } of followers) await until(4);
    expect(lagsMs).toEqual([expect.any(Number)]);
    expect(lagsMs[0]).toBeGreaterThanOrEqual(0);
    expect(lagsMs[0]).toBeLessThan(5000);
    for (const { stop } of followers) stop();
  });

  it("is not reported for events from before the first follower, nor for repeated reads", async () => {
    const logId = await openTestLog(test.core);
    await publish(logId, 5);
    const first = follow(logId, 0);
    await first.until(5);
    expect(lagsMs).toEqual([]);
    await publish(logId, 1);
    await first.until(6);
    const second = follow(logId, 2);
    await second.until(6);
    expect(lagsMs).toHaveLength(1);
    first.stop();
    second.stop();
  });

  it("counts from the event itself if its hint was lost", async () => {
    const logId = await openTestLog(test.core);
    await publish(logId, 1);
    const follower = follow(logId, 0);
    await follower.until(1);
    await appendEvents(test.core.database.db, [append(logId, 1, 7000)], []);
    await follower.until(2);
    expect(lagsMs).toHaveLength(1);
    expect(lagsMs[0]).toBeGreaterThanOrEqual(7000);
    follower.stop();
  });
});
