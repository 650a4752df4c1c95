import type { FoundParts, SearchKnowledge } from "@parley/schema";
import type { Context } from "../context.ts";
import type { Implementations } from "../implementation.ts";
import { searchParts } from "./search-parts.ts";

/** Finds parts of documents that the caller reaches, as the tools of agents do. Throws the errors of `RunSearch`. */
async function searchKnowledge(context: Context, input: SearchKnowledge): Promise<FoundParts> {
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
  const searcher = { caller, signal, onDatabaseMs };
  return { parts: await searchParts(context, searcher, { query, filters, limit }) };
}

/** The endpoints that are implemented here. */
export const retrievalImplementations = {
  "knowledge.search": searchKnowledge,
} satisfies Implementations;
