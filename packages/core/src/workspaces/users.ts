import { insertRow, type Queryable, users } from "@parley/db";
import type { User } from "@parley/schema";
import type { Process } from "../context.ts";
import type { UserRow } from "../data-access/rows.ts";
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
