import { insertRow, type Queryable, users } from "@parley/db";
import { ParleyError, type User } from "@parley/schema";
import { and, eq, inArray, isNull } from "drizzle-orm";
import type { Process } from "../context.ts";
import type { UserRow } from "../data-access/rows.ts";
import { requireFound } from "./administered-workspace.ts";
import { pictureUrl, type PublicUrl } from "./pictures.ts";

/** A user as the wire shows it. */
export function renderUser(core: PublicUrl, row: UserRow): User {
  return {
    sId: row.sid,
    id: row.id,
    createdAt: row.createdAt,
    username: row.username,
    email: row.email,
    firstName: row.firstName,
    lastName: row.lastName,
    fullName: row.fullName,
    provider: row.provider as User["provider"],
    image: pictureUrl(core, row.image, "user"),
  };
}

/** Creates the user of a key's messages whose context names no member. */
export async function createServiceUser(
  core: Process,
  db: Queryable,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<UserRow> {
  return insertRow(db, users, {
    sid: core.newId(),
    workspaceId,
    username: "API User",
    email: "",
    firstName: name,
    lastName: "",
    fullName: name,
    provider: "",
    image: "",
    createdAt: core.now(),
  });
}

/**
 * The users of a workspace that a member of a request names, once each, under a lock that keeps them from being
 * removed. Throws `member_not_found`.
 */
export async function requireUsers(
  db: Queryable,
  named: {
    readonly workspaceId: number;
    readonly sids: readonly string[];
    readonly member: string;
  },
): Promise<{ id: number; sid: string }[]> {
  const { workspaceId, sids, member } = named;
  const ofWorkspace = and(eq(users.workspaceId, workspaceId), isNull(users.removedAt));
  const found = await db
    .select({ id: users.id, sid: users.sid })
    .from(users)
    .where(and(ofWorkspace, inArray(users.sid, [...sids])))
    .for("share");
  return requireFound(found, sids, (sid) => {
    return new ParleyError("member_not_found", `${member}: the workspace has no user ${sid}`);
  });
}
