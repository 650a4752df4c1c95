import { hasRow, type Queryable, toolAuthorizations, toolConnections } from "@parley/db";
import { and, eq, isNull, sql } from "drizzle-orm";
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

/** The scopes of these texts, each once. */
export function joinScopes(...texts: readonly (string | null | undefined)[]): string {
  return [...new Set(texts.flatMap((text) => text?.split(" ").filter(Boolean) ?? []))].join(" ");
}

/** The authorization of a user whose token was put aside because it is for less than a server needs. */
export function isAside(named: OfUser) {
  const { token, refreshToken } = toolAuthorizations;
  return and(isOfUser(named), isNull(token), isNull(refreshToken));
}

/** The scope that a user is to allow; null unless its token was put aside because it is for less. */
export async function findMissingScope(db: Queryable, named: OfUser): Promise<string | null> {
  const { scope } = toolAuthorizations;
  const [row] = await db.select({ scope }).from(toolAuthorizations).where(isAside(named));
  return row?.scope ?? null;
}
