import { and, eq, or, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { UserRow } from "../data-access/rows.ts";
import type { WorkspaceCaller } from "../context.ts";

/** The columns of what belongs to a user: the key that created it, and the user if not the key's own. */
interface OwnedColumns {
  readonly apiKeyId: AnyPgColumn;
  readonly ownerId: AnyPgColumn;
}

/** Whether a key, or the key of a token, sees what other keys of its workspace have created. */
export function seesAllOfWorkspace({ apiKey, userToken }: WorkspaceCaller): boolean {
  const role = userToken?.keyRole ?? apiKey.role;
  return role === "builder" || role === "admin";
}

/**
 * The condition that a row is the caller's: of a token, its user's; of a key of role `user`, what was
 * created under the key, and rows that fulfil `shared`. Of builders and admins, every row of the workspace.
 */
export function belongsTo(
  caller: WorkspaceCaller,
  { apiKeyId, ownerId }: OwnedColumns,
  shared?: SQL,
): SQL | undefined {
  const { apiKey, user, userToken } = caller;
  return and(
    userToken && eq(ownerId, user.id),
    seesAllOfWorkspace(caller) ? undefined : or(eq(apiKeyId, apiKey.id), shared),
  );
}

/** What a caller creates for a user belongs to that user: the values of its columns. */
export function ownedBy({ apiKey, user, userToken }: WorkspaceCaller, owner: UserRow = user) {
  const isServiceUser = userToken === undefined && owner.id === user.id;
  return { apiKeyId: apiKey.id, ownerId: isServiceUser ? null : owner.id };
}
