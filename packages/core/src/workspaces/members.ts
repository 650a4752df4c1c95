import { agentEditors, memoryScopes, type Queryable, users } from "@parley/db";
import {
  type AddMember,
  type ListEmails,
  type MemberEmails,
  type MemberLocale,
  ParleyError,
  type Success,
  type User,
} from "@parley/schema";
import { and, asc, eq, inArray, isNotNull, isNull, ne, or } from "drizzle-orm";
import type { Context, RequestContext } from "../context.ts";
import { isAfter, type PageEnd, type PageOf, takePage } from "../data-access/pages.ts";
import type { UserRow } from "../data-access/rows.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "./administered-workspace.ts";
import { renderUser } from "./users.ts";

/** The condition that a user is a member: service users are none, and removed members no longer. */
export const isMember = and(
  or(ne(users.email, ""), isNotNull(users.externalId)),
  isNull(users.removedAt),
);

/** The member of a workspace with an id. Throws `member_not_found`, also for one that was removed. */
export async function requireMember(
  db: Queryable,
  workspaceId: number,
  sid: string,
): Promise<UserRow> {
  const [row] = await db
    .select()
    .from(users)
    .where(and(eq(users.workspaceId, workspaceId), eq(users.sid, sid), isMember));
  if (row !== undefined) return row;
  throw new ParleyError("member_not_found", "userId: the workspace has no such member");
}

/** Adds a member. Throws `member_already_exists` when one has the e-mail address, in any case. */
export async function addMember(
  context: RequestContext,
  input: AddMember,
): Promise<{ member: User }> {
  return inTransaction(context, async ({ db, markCreated }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const { email, firstName, lastName = "", image = "" } = input;
    const [row] = await db
      .insert(users)
      .values({
        sid: context.newId(),
        workspaceId: workspace.id,
        username: input.username ?? email.split("@")[0] ?? email,
        email,
        firstName,
        lastName,
        fullName: [firstName, lastName].filter((name) => name !== "").join(" "),
        provider: "",
        image,
        createdAt: context.now(),
      })
      // The address is unique, in any case, among members that were not removed.
      .onConflictDoNothing()
      .returning();
    if (row === undefined) {
      throw new ParleyError(
        "member_already_exists",
        "email: the workspace already has a member with this address",
      );
    }
    markCreated(row.sid);
    return { member: renderUser(context, row) };
  });
}

/** Lists the members of a workspace, the oldest first, a page at a time. */
export async function listMembers(
  context: RequestContext,
  input: PageOf,
): Promise<{ members: User[] } & PageEnd> {
  const { db } = context.database;
  const workspace = await administeredWorkspace(context, db, input.wId);
  const rows = await db
    .select()
    .from(users)
    .where(and(eq(users.workspaceId, workspace.id), isMember, isAfter(users.id, input)))
    .orderBy(asc(users.id))
    .limit(input.limit + 1);
  const { page, end } = takePage(rows, input, ({ id }) => id);
  return { members: page.map((row) => renderUser(context, row)), ...end };
}

/** Says which languages there are: what people see is in English. */
export async function readLocale(): Promise<MemberLocale> {
  return { localisationEnabled: false, userLocale: null, workspaceLocale: "en" };
}

/** Lists the e-mail addresses of members, the oldest member's first, a page at a time. */
export async function listMemberEmails(
  { database, caller }: Context,
  { activeOnly, ...page }: ListEmails,
): Promise<MemberEmails> {
  const rows = await database.db
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(
      and(
        eq(users.workspaceId, caller.workspace.id),
        ne(users.email, ""),
        activeOnly ? isNull(users.removedAt) : undefined,
        isAfter(users.id, page),
      ),
    )
    .orderBy(asc(users.id))
    .limit(page.limit + 1);
  const { page: found, end } = takePage(rows, page, ({ id }) => id);
  return { emails: found.map(({ email }) => email), ...end };
}

/**
 * Removes a member, whose tokens end, who is not an editor of agents any more, and of whom agents remember nothing;
 * messages keep their author. Throws
 * `member_not_found`.
 */
export async function removeMember(
  context: RequestContext,
  input: { wId: string; memberId: string },
): Promise<Success> {
  return inTransaction(context, async ({ db, afterCommit }) => {
    const workspace = await administeredWorkspace(context, db, input.wId);
    const named = and(eq(users.workspaceId, workspace.id), eq(users.sid, input.memberId), isMember);
    const rows = await db
      .update(users)
      .set({ removedAt: context.now() })
      .where(named)
      .returning({ id: users.id });
    if (rows.length === 0) {
      throw new ParleyError("member_not_found", "memberId: the workspace has no such member");
    }
    await db.delete(agentEditors).where(
      inArray(
        agentEditors.userId,
        rows.map(({ id }) => id),
      ),
    );
    // What agents remember of the member is the member's.
    await db.delete(memoryScopes).where(
      inArray(
        memoryScopes.userId,
        rows.map(({ id }) => id),
      ),
    );
    // The member's tokens are refused from now on.
    afterCommit.push({ topic: "keys", workspaceId: workspace.id });
    return { success: true };
  });
}
