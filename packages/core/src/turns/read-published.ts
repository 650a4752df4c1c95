import { events } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";

/** Reads what earlier attempts have published of an answer, in order. */
export async function readPublished(core: Process, run: ClaimedRun): Promise<string[]> {
  const rows = await core.database.db
    .select({ payload: events.payload })
    .from(events)
    .where(eq(events.logId, run.logId))
    .orderBy(asc(events.seq));
  return rows.map((row) => row.payload);
}
