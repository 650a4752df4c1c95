import { type Queryable, users } from "@parley/db";
import type { User } from "@parley/schema";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Core } from "./context.ts";
import type { UserRow } from "./rows.ts";

/** A user as the wire shows it. */
export function renderUser(row: UserRow): User {
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
    image: row.image,
  };
}

/** The member of the workspace with the e-mail address, whatever its case. */
export async function findMember(
  db: Queryable,
  workspaceId: number,
  email: string,
): Promise<UserRow | undefined> {
  const sameEmail = eq(sql`lower(${users.email})`, sql`lower(${email})`);
  const inWorkspace = eq(users.workspaceId, workspaceId);
  const [row] = await db
    .select()
    .from(users)
    .where(and(inWorkspace, sameEmail, sql`${users.email} <> ''`, isNull(users.removedAt)));
  return row;
}

/** Makes the user that a key's messages are from when they name no member. */
export async function createServiceUser(
  core: Core,
  db: Queryable,
  { workspaceId, name }: { workspaceId: number; name: string },
): Promise<UserRow> {
  const [row] = await db
    .insert(users)
    .values({
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
    })
    .returning();
  if (row === undefined) throw new Error("The user was not written");
  return row;
}
