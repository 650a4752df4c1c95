/** What a turn looks up: as much as its agent may, of what whoever asks reaches now. */
import {
  apiKeys,
  conversations,
  dataSourceNodes,
  dataSourceViews,
  messages,
  runs,
  spaces,
  type StoredEmbedding,
  workspaces,
} from "@parley/db";
import { ParleyError, type StoredAgentKnowledge } from "@parley/schema";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Reaching } from "../access/ownership.ts";
import type { Process } from "../context.ts";
import { selectRows } from "../data-access/select-rows.ts";
import { embedQuery } from "./embed-query.ts";
import type { EmbeddingCore } from "./metered-embedding.ts";
import { findsDocument, type PartFilters } from "./part-filters.ts";
import { type FoundPart, searchParts } from "./search-parts.ts";

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
interface LookUpRefused {
  readonly refused: string;
}

const NOBODY: LookUpRefused = {
  refused: "Nothing can be looked up: the key of this answer is no longer valid",
};

type Looking = Pick<Process, "database" | "runSearch" | "now">;
type Searching = Looking & EmbeddingCore;

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

type Narrowing = Pick<PartFilters, "dataSourceIds" | "tagsIn" | "after" | "before" | "parentsIn">;

async function asAsker<T>(
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

/** Searches for a turn. */
export async function lookUp(
  core: Searching,
  turn: LookingTurn,
  {
    query,
    limit,
    signal,
    ...narrowing
  }: Narrowing & { readonly query: string; readonly limit: number; readonly signal: AbortSignal },
): Promise<FoundPart[] | LookUpRefused> {
  return asAsker(core, turn, async ({ caller, filters, embedding }) => {
    const { workspaceId } = turn;
    const payer = { apiKeyId: caller.apiKey.id, userId: caller.user.id || null };
    const searcher = { workspaceId, ...payer, embedding, signal };
    const meaning = await embedQuery(core, searcher, query);
    const given = { query, limit, filters: { ...filters, ...narrowing }, meaning };
    return (await searchParts(core, { caller, signal }, given)).parts;
  });
}

/** A document of a data source that a turn reads. */
interface ReadDocument extends Omit<FoundPart, "partId" | "score"> {
  /** Characters of the whole text, in UTF-16 units. */
  readonly characters: number;
}

/** Reads a range of a document for a turn; undefined for one that whoever asks does not find. */
export async function lookUpDocument(
  core: Looking,
  turn: LookingTurn,
  given: {
    readonly dataSourceId: string;
    readonly documentId: string;
    readonly offset: number;
    readonly length: number;
    readonly signal: AbortSignal;
  },
): Promise<ReadDocument | undefined | LookUpRefused> {
  const { dataSourceId, documentId, offset, length, signal } = given;
  return asAsker(core, turn, async ({ caller, filters }) => {
    const named = { ...filters, dataSourceIds: [dataSourceId], documentId };
    const condition = findsDocument(caller, named);
    const searcher = { workspaceId: turn.workspaceId, signal };
    const rows = await core.runSearch(searcher, async (db) =>
      selectRows<Omit<ReadDocument, "start" | "end" | "characters" | "headings">>(
        db,
        sql`select ${dataSourceViews.dataSourceSid} as "dataSourceId", ${dataSourceViews.name} as "dataSourceName",
          ${spaces.sid} as "spaceId", ${dataSourceNodes.nodeId} as "documentId", ${dataSourceNodes.title} as title,
          ${dataSourceNodes.sourceUrl} as "sourceUrl", ${dataSourceNodes.timestamp}::float8 as timestamp,
          ${dataSourceNodes.content} as content
        ${fromDocuments} where ${condition ?? sql`true`} limit 1`,
      ),
    );
    const [row] = rows;
    if (row === undefined) return undefined;
    const start = Math.min(offset, row.content.length);
    const end = Math.min(start + length, row.content.length);
    const content = row.content.slice(start, end).toWellFormed();
    return { ...row, content, start, end, headings: [], characters: row.content.length };
  });
}

const fromDocuments: SQL = sql`
  from ${dataSourceNodes}
  join ${dataSourceViews} on ${dataSourceViews.id} = ${dataSourceNodes.viewId}
  join ${spaces} on ${spaces.id} = ${dataSourceViews.spaceId}`;

/** Data sources, or the documents of one, a page at a time. */
interface ListedDocuments {
  readonly dataSources: readonly { readonly id: string; readonly name: string }[];
  readonly documents: readonly {
    readonly documentId: string;
    readonly title: string;
    readonly folders: readonly string[];
  }[];
  readonly hasMore: boolean;
}

/** Lists for a turn what can be looked up: data sources, or the documents of the named one. */
export async function listDocumentsOfTurn(
  core: Looking,
  turn: LookingTurn,
  given: {
    readonly dataSourceId: string | undefined;
    readonly folderId: string | undefined;
    readonly offset: number;
    readonly limit: number;
    readonly signal: AbortSignal;
  },
): Promise<ListedDocuments | LookUpRefused> {
  const { dataSourceId, folderId, offset, limit, signal } = given;
  return asAsker(core, turn, async ({ caller, filters }) => {
    const condition = findsDocument(caller, {
      ...filters,
      ...(dataSourceId !== undefined && { dataSourceIds: [dataSourceId] }),
      ...(folderId !== undefined && { parentsIn: [folderId] }),
    });
    const where = condition ?? sql`true`;
    return core.runSearch({ workspaceId: turn.workspaceId, signal }, async (db) => {
      if (dataSourceId === undefined) {
        const dataSources = await selectRows<{ id: string; name: string }>(
          db,
          sql`select ${dataSourceViews.dataSourceSid} as id, ${dataSourceViews.name} as name
            from ${dataSourceViews} join ${spaces} on ${spaces.id} = ${dataSourceViews.spaceId}
            where exists (select from ${dataSourceNodes}
              where ${dataSourceNodes.viewId} = ${dataSourceViews.id} and ${where})
            order by ${dataSourceViews.id} limit ${limit + 1} offset ${offset}`,
        );
        return {
          dataSources: dataSources.slice(0, limit),
          documents: [],
          hasMore: dataSources.length > limit,
        };
      }
      const documents = await selectRows<ListedDocuments["documents"][number]>(
        db,
        sql`select ${dataSourceNodes.nodeId} as "documentId", ${dataSourceNodes.title} as title,
            to_json(${dataSourceNodes.parents}[2:]) as folders
          ${fromDocuments} where ${where}
          order by ${dataSourceNodes.viewId}, ${dataSourceNodes.nodeId} limit ${limit + 1} offset ${offset}`,
      );
      return {
        dataSources: [],
        documents: documents.slice(0, limit),
        hasMore: documents.length > limit,
      };
    });
  });
}
