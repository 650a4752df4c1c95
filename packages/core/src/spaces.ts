import { apiKeySpaces, type Queryable, spaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, or, sql } from "drizzle-orm";
import type { Context } from "./context.ts";
import type { SpaceRow } from "./rows.ts";

/** The space that the caller's key reaches under this id. Throws `space_not_found` (400). */
export async function requireSpace(
  db: Queryable,
  context: Context,
  sid: string,
): Promise<SpaceRow> {
  const { apiKey, workspace } = context.caller;
  const given = db
    .select({ found: sql`1` })
    .from(apiKeySpaces)
    .where(and(eq(apiKeySpaces.apiKeyId, apiKey.id), eq(apiKeySpaces.spaceId, spaces.id)));
  const [row] = await db
    .select()
    .from(spaces)
    .where(
      and(
        eq(spaces.workspaceId, workspace.id),
        eq(spaces.sid, sid),
        or(eq(spaces.isRestricted, false), sql`exists ${given}`),
      ),
    );
  if (row === undefined) {
    throw new ParleyError("space_not_found", "spaceId: the workspace has no such space");
  }
  return row;
}
