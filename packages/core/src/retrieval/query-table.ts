import { dataSourceNodes, dataSourceTables, dataSourceViews, spaces } from "@parley/db";
import type { TableQuery } from "@parley/schema";
import { and, eq } from "drizzle-orm";
import { type QueriedRows, queryRows } from "../knowledge/query-rows.ts";
import { asAsker, type Looking, type LookingTurn, type LookUpRefused } from "./asker.ts";
import { findsDocument } from "./part-filters.ts";

const TOO_LONG =
  "The query took too long and was stopped: filter for fewer rows, or group by fewer columns";

/** What a turn's query of a table gives, with what a citation says of the table. */
interface QueriedTable extends QueriedRows {
  readonly dataSourceId: string;
  readonly dataSourceName: string;
  readonly documentId: string;
  readonly title: string;
  readonly sourceUrl: string | null;
  readonly timestamp: number;
}

/** Queries a table for a turn; undefined for one that whoever asks does not find. */
export async function queryTableOfTurn(
  core: Looking,
  turn: LookingTurn,
  given: {
    readonly dataSourceId: string;
    readonly tableId: string;
    readonly query: TableQuery;
    readonly signal: AbortSignal;
  },
): Promise<QueriedTable | undefined | LookUpRefused> {
  const { dataSourceId, tableId: documentId, query, signal } = given;
  return asAsker(core, turn, async ({ caller, filters }) => {
    const named = { dataSourceIds: [dataSourceId], documentId, nodeTypes: ["table"] } as const;
    const { viewId, nodeId, title, sourceUrl, timestamp } = dataSourceNodes;
    const searcher = { workspaceId: turn.workspaceId, signal, tooLong: TOO_LONG };
    return core.runSearch(searcher, async (db) => {
      const [found] = await db
        .select({
          table: dataSourceTables,
          about: {
            dataSourceId: dataSourceViews.dataSourceSid,
            dataSourceName: dataSourceViews.name,
            documentId: nodeId,
            title,
            sourceUrl,
            timestamp,
          },
        })
        .from(dataSourceTables)
        .innerJoin(
          dataSourceNodes,
          and(eq(viewId, dataSourceTables.viewId), eq(nodeId, dataSourceTables.nodeId)),
        )
        .innerJoin(dataSourceViews, eq(dataSourceViews.id, viewId))
        .innerJoin(spaces, eq(spaces.id, dataSourceViews.spaceId))
        .where(findsDocument(caller, { ...filters, ...named }))
        .limit(1);
      if (found === undefined) return undefined;
      const rows = await queryRows(db, found.table, query);
      return "refused" in rows ? rows : { ...found.about, ...rows };
    });
  });
}
