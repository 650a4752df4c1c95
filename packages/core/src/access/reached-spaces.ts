import { hasRow, statement } from "@parley/db";
import { sql } from "drizzle-orm";
import type { Process } from "../context.ts";

/** The numbers of a key and of a space. */
export interface KeyAndSpace {
  readonly keyId: number;
  readonly spaceId: number;
}

/** Pairs of one statement. */
const MAX_TOGETHER = 1000;

const reachedStatement = statement<
  { pairs: string },
  { key_id: string | number; space_id: string | number }
>(
  "read_reached_spaces",
  sql`
  select p.key_id, p.space_id
  from json_to_recordset(${sql.placeholder("pairs")}::json) as p(key_id bigint, space_id bigint)
  join spaces s on s.id = p.space_id
  where not s.is_restricted or ${hasRow(sql`
    from api_key_spaces a where a.api_key_id = p.key_id and a.space_id = p.space_id`)}`,
);

/** Reads which of these keys now reach these spaces; a statement per thousand pairs. */
export async function findReachedSpaces(
  { database }: Pick<Process, "database">,
  pairs: readonly KeyAndSpace[],
): Promise<(pair: KeyAndSpace) => boolean> {
  const reached = new Set<string>();
  for (let start = 0; start < pairs.length; start += MAX_TOGETHER) {
    const some = pairs.slice(start, start + MAX_TOGETHER);
    const columns = some.map(({ keyId, spaceId }) => ({ key_id: keyId, space_id: spaceId }));
    const rows = await reachedStatement.execute(database.db, { pairs: JSON.stringify(columns) });
    for (const row of rows) reached.add(`${row.key_id}/${row.space_id}`);
  }
  return ({ keyId, spaceId }) => reached.has(`${keyId}/${spaceId}`);
}
