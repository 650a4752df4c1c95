/** What a turn looks up. */
import { dataSourceNodes, dataSourceTables, dataSourceViews, spaces } from "@parley/db";
import { sql } from "drizzle-orm";
import { selectRows } from "../data-access/select-rows.ts";
import { asAsker, type Looking, type LookingTurn, type LookUpRefused } from "./asker.ts";
import { embedQuery } from "./embed-query.ts";
import type { EmbeddingCore } from "./metered-embedding.ts";
import { findsDocument, fromDocuments, type PartFilters } from "./part-filters.ts";
import { type FoundPart, searchParts } from "./search-parts.ts";

export type { LookingTurn } from "./asker.ts";
export { queryTableOfTurn } from "./query-table.ts";

type Searching = Looking & EmbeddingCore;
type Narrowing = Pick<PartFilters, "dataSourceIds" | "tagsIn" | "after" | "before" | "parentsIn">;

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
interface ReadDocument extends Omit<FoundPart, "partId" | "score" | "foundBy"> {
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

/** Data sources, or the documents and tables of one, a page at a time. */
interface ListedDocuments {
  readonly dataSources: readonly { readonly id: string; readonly name: string }[];
  readonly documents: readonly {
    readonly documentId: string;
    readonly title: string;
    readonly folders: readonly string[];
    /** What the rows of a table are; null for a document. */
    readonly table: { readonly rows: number; readonly columns: readonly string[] } | null;
  }[];
  readonly hasMore: boolean;
}

/** Lists for a turn what can be looked up: data sources, or the documents and tables of the named one. */
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
      nodeTypes: ["document", "table"],
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
            to_json(${dataSourceNodes.parents}[2:]) as folders,
            case when ${dataSourceTables.nodeId} is not null then json_build_object(
              'rows', ${dataSourceTables.rowCount},
              'columns', jsonb_path_query_array(${dataSourceTables.columns}, '$[*].name')) end as table
          ${fromDocuments}
          left join ${dataSourceTables} on ${dataSourceTables.viewId} = ${dataSourceNodes.viewId}
            and ${dataSourceTables.nodeId} = ${dataSourceNodes.nodeId}
          where ${where}
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
