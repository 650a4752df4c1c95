import { hasRow } from "@parley/db";
import { type SQL, sql } from "drizzle-orm";

/**
 * The condition that a key, by its number, reaches a space: what a key has left behind, such as a webhook, goes no further
 * than the key.
 */
export const keyReachesSpace = (apiKeyId: SQL, spaceId: SQL): SQL<boolean> =>
  hasRow(sql`
    from spaces s where s.id = ${spaceId} and (not s.is_restricted or ${hasRow(sql`
      from api_key_spaces a where a.api_key_id = ${apiKeyId} and a.space_id = s.id`)})`);
