import { measurePositions } from "@parley/db";
import { expect, it } from "vitest";
import { coreTest } from "../../testing/core-test.ts";
import { startMeasureRecorder } from "./record-measures.ts";

const test = coreTest();

it("counts from the start of the server on, not from its first look some seconds later", async () => {
  const errors: unknown[] = [];
  const stop = startMeasureRecorder(test.core, (error) => errors.push(error));
  await stop();
  expect(errors).toEqual([]);
  const positions = await test.core.database.db.select().from(measurePositions);
  expect(positions.map(({ name }) => name).toSorted()).toEqual(["answers", "rolled"]);
});
