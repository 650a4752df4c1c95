import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import {
  DataSourceView,
  DataSourceViewParams,
  FindDataSourceViews,
} from "../knowledge/data-sources.ts";
import {
  FindNodes,
  FoundDocuments,
  FoundKnowledge,
  FoundNodes,
  SearchDocuments,
  SearchNodes,
} from "../knowledge/searches.ts";
import { WorkspaceParams } from "../params.ts";
import { get } from "./defaults.ts";

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
      data_source_views: z.array(DataSourceView).describe("Views, the oldest first"),
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
