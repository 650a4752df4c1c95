import { memoryFiles, memoryProposals, memoryScopes, type Queryable } from "@parley/db";
import {
  type ErasedMemories,
  type EraseMemories,
  invalidRequest,
  ParleyError,
} from "@parley/schema";
import { and, asc, eq, inArray, type SQL } from "drizzle-orm";
import { requireSpace } from "../access/space-reach.ts";
import type { Caller, RequestContext } from "../context.ts";
import { inTransaction } from "../log/transaction.ts";
import { administeredWorkspace } from "../workspaces/administered-workspace.ts";
import { requireMember } from "../workspaces/members.ts";
import { requireAgent, seesShared } from "./reached-memories.ts";

/**
 * Erases all files of a user (the caller, or for admins another), of an agent or of a space (for builders), with their
 * versions and the changes that wait. Throws `app_auth_error`, `member_not_found`, `agent_not_found`,
 * `space_not_found`, and `invalid_request_error` if several are named.
 */
export async function eraseMemories(
  context: RequestContext,
  input: EraseMemories,
): Promise<ErasedMemories> {
  requireOneOwner(input);
  return inTransaction(context, async ({ db, markCreated }) => {
    const { id } = await administeredWorkspace(context, db, input.wId);
    const { isOf, subject } = await findOwner(db, {
      caller: context.caller,
      workspaceId: id,
      input,
    });
    markCreated(subject);
    // Their writers come before or after.
    const scopes = await db
      .select({ id: memoryScopes.id })
      .from(memoryScopes)
      .where(and(eq(memoryScopes.workspaceId, id), isOf))
      .orderBy(asc(memoryScopes.id))
      .for("no key update");
    const ids = scopes.map((scope) => scope.id);
    await db.delete(memoryProposals).where(inArray(memoryProposals.scopeId, ids));
    const erased = await db
      .delete(memoryFiles)
      .where(inArray(memoryFiles.scopeId, ids))
      .returning({ id: memoryFiles.id });
    return { erased: erased.length };
  });
}

/** Whose the files are that go, and what the audit log says of it. */
interface Owner {
  readonly isOf: SQL | undefined;
  readonly subject: string;
}

async function findOwner(
  db: Queryable,
  {
    caller,
    workspaceId,
    input: { userId, agentId, spaceId },
  }: { readonly caller: Caller; readonly workspaceId: number; readonly input: EraseMemories },
): Promise<Owner> {
  const { scope } = memoryScopes;
  if (agentId !== undefined) {
    await requireAgent(db, { workspaceId, agentId });
    requireShared(caller, "agentId");
    return { isOf: and(eq(scope, "agent"), eq(memoryScopes.agentSid, agentId)), subject: agentId };
  }
  if (spaceId !== undefined) {
    const space = await requireSpace(db, caller, { workspaceId, sid: spaceId });
    requireShared(caller, "spaceId");
    return { isOf: eq(memoryScopes.spaceId, space.id), subject: spaceId };
  }
  const user = await findUser(db, { caller, workspaceId, userId });
  return { isOf: eq(memoryScopes.userId, user.id), subject: user.sid };
}

async function findUser(
  db: Queryable,
  {
    caller,
    workspaceId,
    userId,
  }: {
    readonly caller: Caller;
    readonly workspaceId: number;
    readonly userId: string | undefined;
  },
): Promise<{ readonly id: number; readonly sid: string }> {
  const isOwn = caller.kind === "workspace" && (userId ?? caller.user.sid) === caller.user.sid;
  if (isOwn) return caller.user;
  if (userId === undefined) {
    throw invalidRequest("query", [
      { path: "userId", message: "an operator names whose files go" },
    ]);
  }
  if (caller.kind === "workspace" && caller.apiKey.role !== "admin") {
    throw new ParleyError(
      "app_auth_error",
      "userId: only admins erase what is remembered of others",
    );
  }
  return requireMember(db, workspaceId, userId);
}

function requireShared(caller: Caller, path: string): void {
  if (seesShared(caller)) return;
  const message = `${path}: only builders and admins erase what several people read`;
  throw new ParleyError("app_auth_error", message);
}

function requireOneOwner({ userId, agentId, spaceId }: EraseMemories): void {
  const given = Object.entries({ userId, agentId, spaceId }).filter(([, id]) => id !== undefined);
  const [, second] = given;
  if (second === undefined) return;
  const message = `give either this or ${given[0]?.[0]}`;
  throw invalidRequest("query", [{ path: second[0], message }]);
}
