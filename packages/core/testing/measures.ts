import { alertIncidents, measureDeltas, measureSums } from "@parley/db";
import type { Core } from "../src/create-core.ts";

/** Inserts a row of each table of measures and incidents in a workspace. */
export async function insertTestMeasures(core: Core, workspaceId: number): Promise<void> {
  const { db } = core.database;
  const sums = { answers: 1 };
  const period = { period: "minute", startsAt: 0, dimension: "all", value: "" } as const;
  await db.insert(measureSums).values({ workspaceId, ...period, sums });
  const call = { minute: 0, agentId: "ann", model: "openai/gpt-5" };
  await db.insert(measureDeltas).values({ workspaceId, ...call, sums });
  await db.insert(alertIncidents).values({
    sid: core.newId("inc"),
    workspaceId,
    alertId: "queue",
    name: "Runs wait for long",
    measure: "oldest_queued",
    threshold: 1,
    value: 2,
    worst: 2,
    beganAt: 0,
    openedAt: 0,
  });
}
