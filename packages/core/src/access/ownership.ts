import { and, eq, or, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import type { ApiKeyRow, UserRow, WorkspaceRow } from "../data-access/rows.ts";
import type { UserToken, WorkspaceCaller } from "../context.ts";

/** All of a caller that decides what it reaches: conditions are made of nothing else. */
export interface Reaching {
  readonly kind: "workspace";
  readonly workspace: Pick<WorkspaceRow, "id">;
  readonly apiKey: Pick<ApiKeyRow, "id" | "role">;
  readonly user: Pick<UserRow, "id">;
  readonly userToken?: Pick<UserToken, "keyRole" | "spaceIds"> | undefined;
}

/** The columns of what belongs to a user: the key that created it, and the user if not the key's own. */
interface OwnedColumns {
  readonly apiKeyId: AnyPgColumn;
  readonly ownerId: AnyPgColumn;
}

/** Whether a key, or the key of a token, sees what other keys of its workspace have created. */
export function seesAllOfWorkspace({
  apiKey,
  userToken,
}: Pick<Reaching, "apiKey" | "userToken">): boolean {
  const role = userToken?.keyRole ?? apiKey.role;
  return role === "builder" || role === "admin";
}

/**
 * The condition that a row is the caller's: of a token, its user's; of a key of role `user`, what was
 * created under the key, and rows that fulfil `shared`. Of builders and admins, every row of the workspace.
 */
export function belongsTo(
  caller: Reaching,
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
