/** Which scopes of memory are there for whom. */
import {
  conversations,
  memoryScopes,
  type MemoryScope,
  messages,
  type Queryable,
  spaces,
  statement,
  type StoredMemory,
  users,
} from "@parley/db";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { TEMPORARY } from "../access/conversation-reach.ts";
import type { AgentRow, ConversationRow, MessageRow } from "../data-access/rows.ts";
import { isMember } from "../workspaces/members.ts";

/** A scope of memory below `/memories`, and what may be done with it. */
export interface MemoryMount {
  readonly scope: MemoryScope;
  readonly mayWrite: boolean;
  readonly userId: number | null;
  readonly agentSid: string | null;
  readonly spaceId: number | null;
}

/** Whether several people read what is in a scope. */
export const isShared = ({ scope }: Pick<MemoryMount, "scope">): boolean =>
  scope === "agent" || scope === "space";

/** The condition that a row of scopes is the mount's. */
export function isMounted(workspaceId: number, mount: MemoryMount): SQL | undefined {
  const { userId, agentSid, spaceId, scope } = memoryScopes;
  return and(
    eq(memoryScopes.workspaceId, workspaceId),
    eq(scope, mount.scope),
    mount.userId === null ? isNull(userId) : eq(userId, mount.userId),
    mount.agentSid === null ? isNull(agentSid) : eq(agentSid, mount.agentSid),
    mount.spaceId === null ? isNull(spaceId) : eq(spaceId, mount.spaceId),
  );
}

/** What decides, beside the agent, which scopes a turn has. */
interface Facts {
  /** The member who asks, if the conversation is that member's own; null otherwise. */
  readonly userId: number | null;
  /** The conversation's space, unless it is deleted. */
  readonly spaceId: number | null;
  readonly isRestricted: boolean;
}

// What a user remembers is shown to that user alone: not in conversations that others own.
const factsStatement = statement<{ asked: string; conversationId: number }, Facts>(
  "read_memory_facts",
  sql`select ${users.id} as "userId", ${spaces.id} as "spaceId",
      coalesce(${spaces.isRestricted}, false) as "isRestricted"
    from ${conversations}
    left join ${messages} on ${messages.sid} = ${sql.placeholder("asked")}
      and ${messages.conversationId} = ${conversations.id}
    left join ${users} on ${users.id} = ${messages.userId}
      and ${users.id} = ${conversations.ownerId} and ${isMember}
    left join ${spaces} on ${spaces.id} = ${conversations.spaceId} and ${spaces.deletedAt} is null
    where ${conversations.id} = ${sql.placeholder("conversationId")}::bigint`,
);

/** A turn, as far as it decides what its agent remembers. */
export interface RememberingTurn {
  readonly message: Pick<MessageRow, "parentMessageId" | "workspaceId">;
  readonly conversation: Pick<ConversationRow, "id" | "visibility">;
  readonly agent: Pick<AgentRow, "sid" | "memory" | "status">;
}

/** The scopes of a turn: those that its agent has switched on, and its asker has. Reads nothing without a memory. */
export async function readMounts(db: Queryable, turn: RememberingTurn): Promise<MemoryMount[]> {
  const { agent, conversation, message } = turn;
  if (agent.memory === null || Object.keys(agent.memory).length === 0) return [];
  const asked = message.parentMessageId ?? "";
  const [facts] = await factsStatement.execute(db, { asked, conversationId: conversation.id });
  if (facts === undefined) return [];
  // What is only tried, and what is to leave nothing, changes nothing.
  const isPassing = agent.status === "draft" || conversation.visibility === TEMPORARY;
  return mountsOf(agent.memory, { ...facts, agentSid: agent.sid, isPassing });
}

/** The scopes that facts leave of a configuration. */
export function mountsOf(
  memory: StoredMemory,
  {
    userId,
    agentSid,
    spaceId,
    isRestricted,
    isPassing = false,
  }: Facts & { readonly agentSid: string; readonly isPassing?: boolean },
): MemoryMount[] {
  const owner = { userId: null, agentSid: null, spaceId: null };
  const mayWrite = (access: string | undefined) => access === "write" && !isPassing;
  const mounts: MemoryMount[] = [];
  if (memory.user !== undefined && userId !== null) {
    mounts.push({ ...owner, scope: "user", mayWrite: mayWrite(memory.user), userId });
  }
  if (memory.agent !== undefined) {
    // What is said in a restricted space stays in it.
    const access = mayWrite(memory.agent) && !isRestricted;
    mounts.push({ ...owner, scope: "agent", mayWrite: access, agentSid });
  }
  if (memory.agentUser !== undefined && userId !== null) {
    const access = mayWrite(memory.agentUser);
    mounts.push({ ...owner, scope: "agent-user", mayWrite: access, userId, agentSid });
  }
  if (memory.space !== undefined && spaceId !== null) {
    mounts.push({ ...owner, scope: "space", mayWrite: mayWrite(memory.space), spaceId });
  }
  return mounts;
}
