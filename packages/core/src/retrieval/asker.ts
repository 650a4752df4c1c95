/** Who asks when a turn looks something up: as much as its agent may, of what whoever asks reaches now. */
import {
  apiKeys,
  conversations,
  messages,
  runs,
  type StoredEmbedding,
  workspaces,
} from "@parley/db";
import { ParleyError, type StoredAgentKnowledge } from "@parley/schema";
import { and, eq, isNull, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Reaching } from "../access/ownership.ts";
import type { Process } from "../context.ts";
import type { PartFilters } from "./part-filters.ts";

/** A turn that looks something up. */
export interface LookingTurn {
  /** The answer. */
  readonly messageId: string;
  readonly workspaceId: number;
  readonly knowledge: StoredAgentKnowledge;
}

/** Whoever asks, and what of the documents they reach the turn may show. */
interface Asker {
  readonly caller: Reaching;
  readonly filters: PartFilters;
  readonly embedding: StoredEmbedding | null;
}

/** Something that is looked up cannot be: why, for the model. */
export interface LookUpRefused {
  readonly refused: string;
}

const NOBODY: LookUpRefused = {
  refused: "Nothing can be looked up: the key of this answer is no longer valid",
};

/** What looks things up. */
export type Looking = Pick<Process, "database" | "runSearch" | "now">;
/**
 * Reads who asks: the key that the answer is billed to, with the spaces that the token of its user had. Undefined once the
 * key is revoked, disabled or expired.
 */
async function readAsker(
  { database, now }: Looking,
  turn: LookingTurn,
): Promise<Asker | undefined> {
  const asked = alias(messages, "asked");
  const [row] = await database.db
    .select({
      apiKey: { id: apiKeys.id, role: apiKeys.role, userId: apiKeys.userId },
      reachedSpaceIds: runs.reachedSpaceIds,
      spaceId: conversations.spaceId,
      context: asked.context,
      embedding: workspaces.embedding,
    })
    .from(runs)
    .innerJoin(messages, eq(messages.sid, runs.logId))
    .innerJoin(asked, eq(asked.sid, messages.parentMessageId))
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .innerJoin(apiKeys, eq(apiKeys.id, runs.apiKeyId))
    .innerJoin(workspaces, eq(workspaces.id, apiKeys.workspaceId))
    .where(
      and(
        eq(runs.logId, turn.messageId),
        eq(runs.workspaceId, turn.workspaceId),
        eq(apiKeys.workspaceId, turn.workspaceId),
        isNull(apiKeys.revokedAt),
        isNull(apiKeys.disabledAt),
        sql`(${apiKeys.expiresAt} is null or ${apiKeys.expiresAt} > ${now()})`,
      ),
    );
  if (row === undefined) return undefined;
  const { apiKey, reachedSpaceIds, spaceId, context, embedding } = row;
  const { everything } = turn.knowledge;
  const excluded = context?.excludedRetrievalTags ?? [];
  return {
    embedding,
    caller: {
      kind: "workspace",
      workspace: { id: turn.workspaceId },
      apiKey,
      user: { id: apiKey.userId ?? 0 },
      ...(reachedSpaceIds !== null && {
        userToken: { keyRole: apiKey.role, spaceIds: reachedSpaceIds },
      }),
    },
    filters: {
      selection: turn.knowledge,
      ...(excluded.length > 0 && { tagsNot: excluded }),
      // What is in a space is read by all who reach it: nothing of another restricted space is shown there.
      ...(spaceId !== null && { onlyRestrictedSpaceId: spaceId }),
      ...(spaceId !== null && everything === true && { spaceId }),
    },
  };
}

/** Does something as who asks; gives why it is refused. Throws what is not a `ParleyError`. */
export async function asAsker<T>(
  core: Looking,
  turn: LookingTurn,
  work: (asker: Asker) => Promise<T>,
): Promise<T | LookUpRefused> {
  const asker = await readAsker(core, turn);
  if (asker === undefined) return NOBODY;
  try {
    return await work(asker);
  } catch (error) {
    // Too many searches, or one that took too long.
    if (error instanceof ParleyError) return { refused: error.message };
    throw error;
  }
}
