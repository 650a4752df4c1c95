import { apiKeySpaces, hasRow, type Queryable, spaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Caller, WorkspaceCaller } from "../context.ts";
import type { Reaching } from "./ownership.ts";
import type { SpaceRow } from "../data-access/rows.ts";

/**
 * The condition that a caller reaches the space of the row: it is open, or the key has access, and the
 * user's token, if there is one. Operators reach all spaces that are not deleted; a deleted one is closed
 * and no key has access to it.
 */
export function reachesSpace(
  caller: Reaching | Extract<Caller, { kind: "operator" }>,
): SQL | undefined {
  if (caller.kind === "operator") return isNull(spaces.deletedAt);
  const { spaceIds } = caller.userToken ?? {};
  const ofKey = hasRow(
    sql`from ${apiKeySpaces} where ${and(
      eq(apiKeySpaces.apiKeyId, caller.apiKey.id),
      eq(apiKeySpaces.spaceId, spaces.id),
    )}`,
  );
  return or(
    eq(spaces.isRestricted, false),
    and(spaceIds && sql`${spaces.id} = any(${sql.param(spaceIds)}::bigint[])`, ofKey),
  );
}

/** Whether a caller may reach a restricted space with this number if its key does. */
export function mayReachSpace({ userToken }: WorkspaceCaller, spaceId: number): boolean {
  return userToken?.spaceIds?.includes(spaceId) ?? true;
}

/** The workspace's space that the caller reaches under this id. Throws `space_not_found` (400). */
export async function requireSpace(
  db: Queryable,
  caller: Caller,
  { workspaceId, sid }: { workspaceId: number; sid: string },
): Promise<SpaceRow> {
  const [row] = await db
    .select()
    .from(spaces)
    .where(and(eq(spaces.workspaceId, workspaceId), eq(spaces.sid, sid), reachesSpace(caller)));
  if (row === undefined) throw spaceNotFound();
  return row;
}

/** The error for a space that is unknown, or that the caller does not reach. */
export function spaceNotFound(): ParleyError {
  return new ParleyError("space_not_found", "spaceId: the workspace has no such space");
}
