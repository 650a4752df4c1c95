import { webSources } from "@parley/db";
import { eq } from "drizzle-orm";
import type { Core } from "../src/create-core.ts";

/** Makes the time of the next refresh of a web source come. */
export async function makeTestRefreshDue({ database }: Core, sid: string): Promise<void> {
  await database.db.update(webSources).set({ nextRefreshAt: 1 }).where(eq(webSources.sid, sid));
}
