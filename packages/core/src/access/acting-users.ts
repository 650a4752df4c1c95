import { type Queryable, users } from "@parley/db";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Process, UserToken, WorkspaceCaller } from "../context.ts";
import type { UserRow } from "../data-access/rows.ts";

/** A user under a key: the caller with the role `user`, or none if the key has none. */
export function actingAs(
  given: Pick<WorkspaceCaller, "apiKey" | "workspace" | "user" | "isBudgeted">,
  token: Omit<UserToken, "keyRole">,
): WorkspaceCaller {
  const { apiKey, workspace, user, isBudgeted } = given;
  const role = apiKey.role === "none" ? "none" : "user";
  const userToken = { ...token, keyRole: apiKey.role };
  return { kind: "workspace", apiKey: { ...apiKey, role }, workspace, user, isBudgeted, userToken };
}

/** The member of the workspace with the e-mail address, in any case. */
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

/** The user of the workspace with the external id, who was not removed. */
export async function findByExternalId(
  db: Queryable,
  workspaceId: number,
  externalId: string,
): Promise<UserRow | undefined> {
  const [row] = await db
    .select()
    .from(users)
    .where(
      and(
        eq(users.workspaceId, workspaceId),
        eq(users.externalId, externalId),
        isNull(users.removedAt),
      ),
    );
  return row;
}

/** What is known of a user besides the external id. */
export interface UserProfile {
  readonly email?: string | undefined;
  readonly username?: string | undefined;
  readonly firstName?: string | undefined;
  readonly lastName?: string | undefined;
}

/**
 * Gives the workspace's user with an external id: the member with the e-mail address becomes that user,
 * otherwise one is created. Undefined if the address is that of a member with another external id.
 */
export async function introduceUser(
  core: Pick<Process, "newId" | "now">,
  db: Queryable,
  {
    workspaceId,
    externalId,
    profile,
  }: { workspaceId: number; externalId: string; profile: UserProfile },
): Promise<UserRow | undefined> {
  const { email = "", username, firstName = "", lastName = "" } = profile;
  const member = email === "" ? undefined : await findMember(db, workspaceId, email);
  if (member !== undefined) {
    const [known] = await db
      .update(users)
      .set({ externalId })
      .where(and(eq(users.id, member.id), isNull(users.externalId)))
      .returning();
    return known;
  }
  const name = username ?? (email.split("@")[0] || externalId);
  const created = {
    sid: core.newId(),
    workspaceId,
    externalId,
    username: name,
    email,
    firstName: firstName || name,
    lastName,
    fullName: [firstName || name, lastName].filter((part) => part !== "").join(" "),
    provider: "",
    image: "",
    createdAt: core.now(),
  };
  const [row] = await db.insert(users).values(created).onConflictDoNothing().returning();
  // Another request may have created the user in the meantime.
  return row ?? findByExternalId(db, workspaceId, externalId);
}
