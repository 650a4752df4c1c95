import { hasRow, toolAuthorizations, toolConnections } from "@parley/db";
import { and, eq, sql } from "drizzle-orm";
import { type ConnectionRow, isUnchanged } from "./tool-connections.ts";

export type AuthorizationRow = typeof toolAuthorizations.$inferSelect;

/** A user's authorization of a tool. */
export interface OfUser {
  readonly toolId: number;
  readonly userId: number;
  /**
   * As it was read: once the tool has another server or client, this finds nothing, and changes nothing. Has to be
   * given if a token is sent to what this names, or replaced by what comes from there.
   */
  readonly connection?: ConnectionRow;
}

/** The condition that the row is this authorization. */
export function isOfUser({ toolId, userId, connection }: OfUser) {
  return and(
    eq(toolAuthorizations.toolId, toolId),
    eq(toolAuthorizations.userId, userId),
    connection && hasRow(sql`from ${toolConnections} where ${isUnchanged(connection)}`),
  );
}
