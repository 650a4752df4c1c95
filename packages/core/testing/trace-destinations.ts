import { runs, traceDestinations } from "@parley/db";
import { and, eq, ne } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";

/** Moves a trace destination, and the end of each run of its workspace but `newest`, to a time in the past. */
export async function ageTestTraces(
  { database: { db } }: Core,
  { sid, newest, endedAt }: { sid: string; newest: string; endedAt: number },
): Promise<void> {
  const [moved] = await db
    .update(traceDestinations)
    .set({ exportedUntil: endedAt - 1000 })
    .where(eq(traceDestinations.sid, sid))
    .returning({ workspaceId: traceDestinations.workspaceId });
  await db
    .update(runs)
    .set({ finishedAt: endedAt, createdAt: endedAt - 10 })
    .where(and(eq(runs.workspaceId, moved!.workspaceId), ne(runs.logId, newest)));
}
