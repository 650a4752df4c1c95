import * as z from "zod";
import { get } from "../endpoint-defaults.ts";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams } from "../params.ts";
import {
  flagFromQuery,
  fromQuery,
  listFromQuery,
  optional,
  Reference,
  text,
} from "../parsing/text.ts";
import { TimeFromQuery } from "../parsing/times.ts";
import {
  DataSource,
  DataSourceView,
  DataSourceViewParams,
  FindDataSourceViews,
} from "./data-sources.ts";
import { Document } from "./documents.ts";

const query = text(1000, 1);
const cursor = optional(
  z.string().regex(/^\d{1,4}$/, { error: "must be a nextPageCursor of a page" }),
).describe("Cursor returned by the previous page");

const limit = z.int().min(1).max(100);
const limitOf = (schema: z.ZodType<number, number>) =>
  optional(schema)
    .transform((given) => given ?? 25)
    .describe("Nodes of a page, 1 to 100; 25 by default")
    .meta({ example: 25 });

/** Body of the search of nodes: `query`, or `nodeIds`. */
export const SearchNodes = z
  .object({
    query: optional(query)
      .describe("Words of the title or the text; the last one may be a prefix")
      .meta({ example: "opening ho" }),
    nodeIds: optional(z.array(Reference).max(100)).describe("Ids of nodes, instead of a query"),
    viewType: optional(z.enum(["all", "document", "table"]))
      .transform((viewType) => viewType ?? "all")
      .describe("Kinds of nodes, folders aside; all by default"),
    spaceIds: optional(z.array(Reference).max(100)).describe(
      "Spaces to search; by default, all that the key can see",
    ),
    includeDataSources: optional(z.boolean()).describe("Whether to also find data sources by name"),
    searchSourceUrls: optional(z.boolean()).describe("Whether the query may be a source_url"),
    limit: limitOf(limit),
    cursor,
  })
  .refine((search) => (search.query === undefined) !== (search.nodeIds === undefined), {
    error: "must have either query or nodeIds",
  });
export type SearchNodes = z.output<typeof SearchNodes>;

/** Query of the search of nodes. */
export const FindNodes = z.object({
  query: query.describe("Like in the other search of nodes").meta({ example: "opening ho" }),
  viewType: optional(z.enum(["all", "documents", "tables"])).describe(
    "Kinds of nodes, folders aside; all by default",
  ),
  spaceIds: listFromQuery(",").describe("Spaces to search; by default, all that the key can see"),
  includeDataSources: optional(flagFromQuery).describe("Whether to also find data sources by name"),
  searchSourceUrls: optional(flagFromQuery).describe("Whether the query may be a source_url"),
  includeTools: optional(flagFromQuery).describe("Accepted: no tool is searched"),
  limit: limitOf(fromQuery(limit)),
  cursor,
});
export type FindNodes = z.output<typeof FindNodes>;

/** A document, table or folder as pickers show it, or a data source. */
const FoundNode = z.object({
  internalId: z
    .string()
    .describe("Id of the node, as fragments name it")
    .meta({ example: "opening-hours" }),
  type: z.enum(["document", "table", "folder"]).describe("Kind of node"),
  title: z.string().describe("Title of the node").meta({ example: "Opening hours" }),
  mimeType: z.string().describe("MIME type of the node").meta({ example: "text/plain" }),
  expandable: z.boolean().describe("Whether it can contain other nodes"),
  preventSelection: z.boolean().describe("Whether it cannot be attached for an agent"),
  lastUpdatedAt: z
    .int()
    .nullable()
    .describe("When its content last changed")
    .meta({ example: 1_780_000_000_000 }),
  parentInternalId: z.string().nullable().describe("Id of its folder"),
  parentsInternalIds: z
    .array(z.string())
    .describe("Its own id and those of its folders")
    .meta({ example: ["opening-hours"] }),
  parentTitle: z.string().nullable().describe("Title of its folder"),
  providerVisibility: z
    .enum(["public", "private"])
    .nullable()
    .describe("Who can see it at its origin"),
  sourceUrl: z.string().nullable().describe("Origin of its content"),
  dataSource: DataSource.describe("The data source"),
  dataSourceViews: z.array(DataSourceView).describe("The views that show it"),
});
export type FoundNode = z.infer<typeof FoundNode>;

export const FoundNodes = z.object({
  nodes: z.array(FoundNode).describe("Best matches first"),
  warningCode: z.null().describe("Always null"),
  resultsCount: z.int().nullable().describe("Nodes of this page and those before it").meta({
    example: 1,
  }),
  nextPageCursor: z.string().nullable().describe("Cursor of the next page; null after the last"),
});
export type FoundNodes = z.infer<typeof FoundNodes>;

export const FoundKnowledge = z.object({ knowledgeResults: FoundNodes.describe("Nodes") });
export type FoundKnowledge = z.infer<typeof FoundKnowledge>;

const instant = optional(TimeFromQuery);

/** Query of the search of a view's documents. */
export const SearchDocuments = z.object({
  query: query.describe("Words of the title or the text").meta({ example: "opening" }),
  top_k: optional(fromQuery(z.int().min(1).max(32)))
    .transform((count) => count ?? 10)
    .describe("Documents to find, 1 to 32; 10 by default")
    .meta({ example: 10 }),
  full_text: optional(flagFromQuery).describe("Whether all words must match, not only one"),
  target_document_tokens: optional(fromQuery(z.int().min(1))).describe("Accepted but not used"),
  timestamp_gt: instant.describe("Only documents changed after this time, in milliseconds"),
  timestamp_lt: instant.describe("Only documents changed before this time"),
  tags_in: listFromQuery().describe("Only documents with one of these tags"),
  tags_not: listFromQuery().describe("Only documents with none of these tags"),
  parents_in: listFromQuery().describe("Only documents in one of these folders"),
  parents_not: listFromQuery().describe("Only documents in none of these folders"),
});
export type SearchDocuments = z.output<typeof SearchDocuments>;

export const FoundDocuments = z.object({
  documents: z.array(Document).describe("Best matches first, each with the part that matches"),
});
export type FoundDocuments = z.infer<typeof FoundDocuments>;

const root = "/api/v1/w/{wId}";
const read = { ...get, scope: "knowledge:read", tags: ["knowledge"] } as const;

/** Searches of knowledge. */
export const knowledgeSearchEndpoints = {
  "dataSourceViews.find": {
    ...read,
    summary: "Find data source views by their data source or space",
    path: `${root}/data_source_views/search`,
    params: WorkspaceParams,
    query: FindDataSourceViews,
    output: z.object({
      data_source_views: z.array(DataSourceView).describe("Views, oldest first"),
    }),
  },
  "dataSourceViews.searchDocuments": {
    ...read,
    summary: "Search the documents that a view shows",
    path: `${root}/spaces/{spaceId}/data_source_views/{dsvId}/search`,
    params: DataSourceViewParams,
    query: SearchDocuments,
    output: FoundDocuments,
    errors: ["data_source_view_not_found"],
  },
  "nodes.search": {
    ...read,
    summary: "Search documents and folders by title and text, or read them by their ids",
    method: "POST",
    onlyReads: true,
    path: `${root}/search`,
    params: WorkspaceParams,
    body: SearchNodes,
    output: FoundNodes,
  },
  "nodes.find": {
    ...read,
    summary: "Search documents and folders with a query string",
    response: "json-or-event",
    path: `${root}/search`,
    params: WorkspaceParams,
    query: FindNodes,
    output: FoundKnowledge,
  },
} as const satisfies Record<string, Endpoint>;
