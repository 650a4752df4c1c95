import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import {
  countEvents,
  logsOfRound,
  publishOneByOne,
  type PublishPlan,
  ROUND_MARK,
  runPublishPlan,
  tokenOfRound,
} from "./publish-plan.ts";

const plan: PublishPlan = {
  logs: ["a", "b", "c"],
  reach: "every log",
  eventsPerLog: 5,
  rounds: 4,
  gapMs: 1,
  atOnce: 1,
};

test("a plan of every log counts the events of all of them", () => {
  expect(logsOfRound(plan, 3)).toEqual(["a", "b", "c"]);
  expect(countEvents(plan)).toBe(60);
});

test("a plan of the next log goes round", () => {
  const next: PublishPlan = { ...plan, reach: "next log" };
  expect([0, 1, 2, 3].flatMap((round) => logsOfRound(next, round))).toEqual(["a", "b", "c", "a"]);
  expect(countEvents(next)).toBe(20);
});

test("each round has the time that its publishing says, and none begins early", async () => {
  const begun: number[] = [];
  const startedAt = performance.now();
  const times = await runPublishPlan({ ...plan, gapMs: 10 }, async ({ number }) => {
    begun.push(performance.now() - startedAt);
    return number * 100;
  });
  expect(times).toEqual([0, 100, 200, 300]);
  for (const [round, atMs] of begun.entries()) expect(atMs).toBeGreaterThanOrEqual(round * 10);
});

test.each([1, 3])("at most %d rounds are under way at once", async (atOnce) => {
  let open = 0;
  let most = 0;
  const rounds: number[] = [];
  await runPublishPlan({ ...plan, rounds: 10, gapMs: 0, atOnce }, async ({ number }) => {
    rounds.push(number);
    most = Math.max(most, ++open);
    await setTimeout(2);
    open--;
    return 0;
  });
  expect(most).toBe(atOnce);
  expect(rounds).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
});

test("events that are published one by one are in ticks of their own", async () => {
  const published: string[] = [];
  let tick = 0;
  const publishing = publishOneByOne({ number: 7, logs: ["a", "b"], eventsPerLog: 2 }, (log) => {
    published.push(`${log} in tick ${tick}`);
  });
  setImmediate(() => tick++);
  await publishing;
  expect(published).toEqual(["a in tick 0", "b in tick 0", "a in tick 1", "b in tick 1"]);
});

test("the events of all rounds are as long, and each has one mark", () => {
  const texts = [0, 99_999].map((round) => JSON.stringify(tokenOfRound(round, "message")));
  expect(texts.map((text) => text.split(ROUND_MARK).length)).toEqual([2, 2]);
  expect(new Set(texts.map((text) => text.length)).size).toBe(1);
});
