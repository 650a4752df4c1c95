import { integer, pgTable } from "drizzle-orm/pg-core";
import { milliseconds, number } from "./columns.ts";
import { workspaces } from "./workspaces.ts";

/**
 * The bytes that a workspace stores: as they were last counted from its rows, and what processes have
 * written since. `docs/decisions/storage-is-counted-again.md`.
 */
export const workspaceStorage = pgTable("workspace_storage", {
  workspaceId: number()
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  countedBytes: number().notNull().default(0),
  /** What processes said they wrote or removed since the last count began. */
  addedBytes: number().notNull().default(0),
  /** When the last count began, and how long it took; null before the first. */
  countedAt: milliseconds(),
  countMs: integer().notNull().default(0),
  /** When a process last said that it wrote or removed something. */
  changedAt: milliseconds().notNull().default(0),
  /** When a request was last refused because the workspace is full. */
  refusedAt: milliseconds().notNull().default(0),
  /** Until when one worker counts. */
  countingUntil: milliseconds().notNull().default(0),
});
