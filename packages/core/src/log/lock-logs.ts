import { logs, type Queryable } from "@parley/db";
import { jsonValues } from "../data-access/row-json.ts";
import { and, asc, inArray, isNull, sql } from "drizzle-orm";

/** Locks logs in the order of their ids, so that writers of many cannot deadlock. */
export async function lockLogs(db: Queryable, ids: readonly string[]): Promise<void> {
  await db
    .select({ id: logs.id })
    .from(logs)
    .where(inArray(logs.id, jsonValues(JSON.stringify(ids))))
    .orderBy(asc(logs.id))
    .for("update");
}

/**
 * Locks logs in the order of their ids and raises the fences of the open ones, so that their workers
 * can no longer append. Gives the new fences. The log `unfenced` is only locked.
 */
export async function fenceLogs(
  db: Queryable,
  ids: readonly string[],
  unfenced?: string,
): Promise<Map<string, number>> {
  const wanted = unfenced === undefined ? ids : [...ids, unfenced];
  if (wanted.length === 0) return new Map();
  const locked = await db
    .select({ id: logs.id })
    .from(logs)
    .where(and(inArray(logs.id, jsonValues(JSON.stringify(wanted))), isNull(logs.closedAt)))
    .orderBy(asc(logs.id))
    .for("update");
  const open = locked.map((log) => log.id).filter((id) => id !== unfenced);
  if (open.length === 0) return new Map();
  const rows = await db
    .update(logs)
    .set({ fence: sql`${logs.fence} + 1` })
    .where(inArray(logs.id, open))
    .returning({ id: logs.id, fence: logs.fence });
  return new Map(rows.map((row) => [row.id, row.fence]));
}
