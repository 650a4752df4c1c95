import { apiKeySpaces, hasRow, type Queryable, spaces, statement } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, isNull, or, type SQL, sql } from "drizzle-orm";
import type { Caller, Process, WorkspaceCaller } from "../context.ts";
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

/** A caller and the number of a space. */
export interface CallerAndSpace {
  readonly caller: WorkspaceCaller;
  readonly spaceId: number;
}

/** Pairs of one statement. */
const MAX_TOGETHER = 1000;

const reachedStatement = statement<{ pairs: string }, { nth: number }>(
  "read_reached_spaces",
  sql`
  select p.nth
  from json_to_recordset(${sql.placeholder("pairs")}::json)
    as p(nth int, key_id bigint, space_id bigint, may_be_restricted boolean)
  join spaces s on s.id = p.space_id
  where not s.is_restricted or p.may_be_restricted and ${hasRow(sql`
    from api_key_spaces a where a.api_key_id = p.key_id and a.space_id = p.space_id`)}`,
);

/** Reads which of these callers now reach their spaces; a statement per thousand pairs. */
export async function findReachedSpaces<Pair extends CallerAndSpace>(
  { database }: Pick<Process, "database">,
  pairs: readonly Pair[],
): Promise<(pair: Pair) => boolean> {
  const reached = new Set<Pair>();
  for (let start = 0; start < pairs.length; start += MAX_TOGETHER) {
    const some = pairs.slice(start, start + MAX_TOGETHER);
    const columns = some.map(({ caller, spaceId }, nth) => ({
      nth,
      key_id: caller.apiKey.id,
      space_id: spaceId,
      may_be_restricted: mayReachSpace(caller, spaceId),
    }));
    const rows = await reachedStatement.execute(database.db, { pairs: JSON.stringify(columns) });
    for (const { nth } of rows) reached.add(some[nth]!);
  }
  return (pair) => reached.has(pair);
}
