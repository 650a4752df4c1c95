import { apiKeys, users, workspaces } from "@parley/db";
import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import type { Process, WorkspaceCaller } from "../context.ts";
import { isBudgeted } from "../money/is-budgeted.ts";

/**
 * The caller that a key of a workspace is, by the key's number: what it has left behind, such as a schedule, acts for it.
 * Undefined once the key is revoked, disabled or expired, or its workspace suspended or deleted.
 */
export async function findKeyCaller(
  { database, now }: Pick<Process, "database" | "now">,
  apiKeyId: number,
): Promise<WorkspaceCaller | undefined> {
  const [row] = await database.db
    .select({
      apiKey: apiKeys,
      workspace: workspaces,
      user: users,
      isBudgeted: isBudgeted(sql`${workspaces.id}`),
    })
    .from(apiKeys)
    .innerJoin(workspaces, eq(workspaces.id, apiKeys.workspaceId))
    .innerJoin(users, eq(users.id, apiKeys.userId))
    .where(
      and(
        eq(apiKeys.id, apiKeyId),
        isNull(apiKeys.revokedAt),
        isNull(apiKeys.disabledAt),
        or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now())),
        isNull(workspaces.suspendedAt),
        isNull(workspaces.deletedAt),
      ),
    );
  return row && { kind: "workspace", ...row };
}
