import type { FoundParts, SearchKnowledge } from "@parley/schema";
import type { Context } from "../context.ts";
import type { Implementations } from "../implementation.ts";
import { embedQuery } from "./embed-query.ts";
import { getKnowledgeStatus } from "./knowledge-status.ts";
import type { EmbeddingCore } from "./metered-embedding.ts";
import { searchParts } from "./search-parts.ts";

/** Finds parts of documents that the caller reaches, as the tools of agents do. Throws the errors of `RunSearch`. */
async function searchKnowledge(
  context: Context & EmbeddingCore,
  input: SearchKnowledge,
): Promise<FoundParts> {
  const { query, limit, dataSourceIds, tags, excludedTags, folderIds, after, before } = input;
  const filters = {
    dataSourceIds,
    tagsIn: tags,
    tagsNot: excludedTags,
    parentsIn: folderIds,
    after,
    before,
  };
  const { caller, signal, onDatabaseMs } = context;
  const { workspace, apiKey, user } = caller;
  const who = { workspaceId: workspace.id, apiKeyId: apiKey.id, userId: user.id, signal };
  const meaning = await embedQuery(context, { ...who, embedding: workspace.embedding }, query);
  const searcher = { caller, signal, onDatabaseMs };
  return searchParts(context, searcher, { query, filters, limit, meaning });
}

/** The endpoints that are implemented here. */
export const retrievalImplementations = {
  "knowledge.search": searchKnowledge,
  "knowledge.status": getKnowledgeStatus,
} satisfies Implementations;
