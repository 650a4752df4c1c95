import { activityMinutes, loadSamples } from "@parley/db";
import { expect, it, vi } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { endTestTurns } from "../../testing/finished-runs.ts";
import {
  createTestConversation,
  insertTestAgent,
  insertTestWorkspace,
  openTestContext,
} from "../../testing/testing.ts";
import { startActivityRecorder } from "./record-activity.ts";

const test = coreTest();

const db = () => test.core.database.db;

it("writes in the middle of each minute, also after a failure, until it is closed", async () => {
  const workspace = await insertTestWorkspace(test.core);
  await insertTestAgent(test.core, workspace, { sid: "ann" });
  const context = await openTestContext(test.core, workspace);
  await createTestConversation(context, ["ann"]);
  await endTestTurns(test.core);
  await createTestConversation(context, ["ann"]);
  // 10 ms before the middle of a later minute.
  test.clock.now += 5 * 60_000 + 29_990;
  const errors: unknown[] = [];
  const { localStreams } = test.core;
  let failures = 1;
  localStreams.watch(() => {
    if (failures-- > 0) throw new Error("Not yet");
    return new Map([[workspace.sid, 1]]);
  });
  const recorder = startActivityRecorder(test.core, (error) => errors.push(error));
  await vi.waitFor(async () => expect(await db().$count(activityMinutes)).toBe(2));
  await recorder.close();
  expect(errors).toMatchObject([{ message: "Not yet" }]);
  const samples = await db().select().from(loadSamples);
  expect(samples.map(({ waitingRuns, openStreams }) => [waitingRuns, openStreams])).toEqual(
    expect.arrayContaining([
      [1, 0],
      [0, 1],
    ]),
  );
  // Nothing is written after `close`.
  await db().delete(loadSamples);
  await new Promise((resolve) => setTimeout(resolve, 40));
  expect(await db().$count(loadSamples)).toBe(0);
});
