/** Which memories callers of the interface reach. */
import { agents, memoryFiles, memoryScopes, type Queryable, spaces } from "@parley/db";
import { ParleyError } from "@parley/schema";
import { and, eq, gte, inArray, or, type SQL, sql } from "drizzle-orm";
import { reachesSpace, requireSpace } from "../access/space-reach.ts";
import type { Caller } from "../context.ts";
import type { WorkspaceRow } from "../data-access/rows.ts";
import type { MemoryMount } from "./mounts.ts";
import { ROOT } from "./paths.ts";

/** Whether a caller administers what several people read. A user's token never does. */
export const seesShared = (caller: Caller): boolean =>
  caller.kind === "operator" || caller.apiKey.role === "builder" || caller.apiKey.role === "admin";

/**
 * The condition that a caller reaches the scope of the row: a user the own ones, and nobody those of another; builders
 * those of agents, and of the spaces that they reach. The row may be joined with its space.
 */
export function reachesMemory(caller: Caller): SQL {
  const { scope, userId } = memoryScopes;
  const own =
    caller.kind === "workspace"
      ? and(inArray(scope, ["user", "agent-user"]), eq(userId, caller.user.id))
      : undefined;
  const shared = seesShared(caller)
    ? or(eq(scope, "agent"), and(eq(scope, "space"), reachesSpace(caller)))
    : undefined;
  return or(own, shared) ?? sql`false`;
}

export type ReachedFile = {
  readonly file: typeof memoryFiles.$inferSelect;
  readonly scope: typeof memoryScopes.$inferSelect;
  readonly spaceSid: string | null;
};

/** The file that a caller reaches, with its scope locked if it is to change. Throws `memory_not_found`. */
export async function requireMemory(
  db: Queryable,
  {
    caller,
    workspaceId,
    memoryId,
    isLocked = false,
  }: {
    readonly caller: Caller;
    readonly workspaceId: number;
    readonly memoryId: string;
    readonly isLocked?: boolean;
  },
): Promise<ReachedFile> {
  const select = () =>
    db
      .select({ file: memoryFiles, scope: memoryScopes, spaceSid: spaces.sid })
      .from(memoryFiles)
      .innerJoin(memoryScopes, eq(memoryScopes.id, memoryFiles.scopeId))
      .leftJoin(spaces, eq(spaces.id, memoryScopes.spaceId))
      .where(
        and(
          eq(memoryScopes.workspaceId, workspaceId),
          eq(memoryFiles.sid, memoryId),
          reachesMemory(caller),
        ),
      );
  const refuse = () => new ParleyError("memory_not_found", "memoryId: you reach no such memory");
  const [found] = await select();
  if (found === undefined || !isLocked) {
    if (found === undefined) throw refuse();
    return found;
  }
  await lockScope(db, found.scope.id);
  // It may have changed while its scope was waited for.
  const [current] = await select();
  if (current === undefined) throw refuse();
  return current;
}

/** Locks a scope, as its writers do. */
export async function lockScope(db: Queryable, id: number): Promise<void> {
  await db
    .select({ id: memoryScopes.id })
    .from(memoryScopes)
    .where(eq(memoryScopes.id, id))
    .for("no key update");
}

/** What a scope's rows say of whose they are. */
export function renderPlace(
  { scope, agentSid }: typeof memoryScopes.$inferSelect,
  { path, spaceSid }: { readonly path: string; readonly spaceSid: string | null },
) {
  return { scope, agentId: agentSid, spaceId: spaceSid, path: `${ROOT}/${scope}/${path}` };
}

/**
 * The scopes of a caller's commands: a user's own, and what a builder names. Throws `agent_not_found` and
 * `space_not_found`.
 */
export async function mountsOfCaller(
  db: Queryable,
  {
    caller,
    workspace,
    agentId,
    spaceId,
  }: {
    readonly caller: Caller;
    readonly workspace: WorkspaceRow;
    readonly agentId: string | undefined;
    readonly spaceId: string | undefined;
  },
): Promise<MemoryMount[]> {
  const all = { mayWrite: true, userId: null, agentSid: null, spaceId: null } as const;
  const user = caller.kind === "workspace" && isPerson(caller.user) ? caller.user : undefined;
  const mounts: MemoryMount[] = [];
  if (user !== undefined) mounts.push({ ...all, scope: "user", userId: user.id });
  if (agentId !== undefined) {
    await requireAgent(db, { workspaceId: workspace.id, agentId });
    if (seesShared(caller)) mounts.push({ ...all, scope: "agent", agentSid: agentId });
    if (user !== undefined) {
      mounts.push({ ...all, scope: "agent-user", userId: user.id, agentSid: agentId });
    }
  }
  if (spaceId !== undefined) {
    const space = await requireSpace(db, caller, { workspaceId: workspace.id, sid: spaceId });
    if (seesShared(caller)) mounts.push({ ...all, scope: "space", spaceId: space.id });
  }
  return mounts;
}

/** Throws `agent_not_found` unless the workspace has an agent, active or archived. */
export async function requireAgent(
  db: Queryable,
  { workspaceId, agentId }: { readonly workspaceId: number; readonly agentId: string },
): Promise<void> {
  const named = and(eq(agents.workspaceId, workspaceId), eq(agents.sid, agentId));
  const [agent] = await db
    .select({ id: agents.id })
    .from(agents)
    .where(and(named, eq(agents.isCurrent, true), gte(agents.version, 0)));
  if (agent !== undefined) return;
  throw new ParleyError("agent_not_found", "agentId: the workspace has no such agent");
}

/** Whether a user is a person: a key's own user stands for whoever has the key. */
const isPerson = ({
  email,
  externalId,
}: {
  readonly email: string;
  readonly externalId: string | null;
}): boolean => email !== "" || externalId !== null;
