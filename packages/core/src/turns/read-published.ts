import { events } from "@parley/db";
import { asc, eq } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { ClaimedRun } from "../runs/claim-parts.ts";

/** Reads the payloads of the events that earlier attempts at a turn have published. */
export async function readPublished(core: Process, run: ClaimedRun): Promise<string[]> {
  const rows = await core.database.db
    .select({ payload: events.payload })
    .from(events)
    .where(eq(events.logId, run.logId))
    .orderBy(asc(events.seq));
  return rows.map((row) => row.payload);
}
