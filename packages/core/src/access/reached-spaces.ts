import { hasRow, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process, WorkspaceCaller } from "../context.ts";
import { mayReachSpace } from "./space-reach.ts";

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
