import type { Method } from "./methods.ts";
import type { RouteName } from "./schema-tables.ts";
import type { ClientServerMessage } from "@parley/schema";
import { type Caller, searchOf } from "./call-endpoint.ts";
import { follow, type Follower, type FollowOptions } from "./follow.ts";

/** The methods of what agents and their users look up: data sources, documents, folders. */
export function createKnowledgeMethods(method: <N extends RouteName>(name: N) => Method<N>) {
  return {
    dataSources: {
      /** Lists the data sources that the key reaches. */
      list: method("dataSources.list"),
      /** Reads a data source. */
      get: method("dataSources.get"),
      /** Finds the documents of a data source that match best, with the part that matches. */
      search: method("dataSources.search"),
      /** Counts the documents that agents do not find yet. */
      checkUpsertQueue: method("dataSources.checkUpsertQueue"),
    },
    dataSourceViews: {
      /** Finds the views of data sources, by data source or space. */
      find: method("dataSourceViews.find"),
      /** Reads a view. */
      get: method("dataSourceViews.get"),
      /** Lists the views of a space. */
      listInSpace: method("dataSourceViews.listInSpace"),
      /** Finds the documents of a view that match best, with the part that matches. */
      searchDocuments: method("dataSourceViews.searchDocuments"),
      /** Sets what a view shows of its data source. */
      update: method("dataSourceViews.update"),
    },
    documents: {
      /** Uploads a document, in place of the one with the same id. */
      upsert: method("documents.upsert"),
      /** Reads a document with its text. */
      get: method("documents.get"),
      /** Reads a document as it was uploaded. */
      getBlob: method("documents.getBlob"),
      /** Moves a document to other folders. */
      setParents: method("documents.setParents"),
      /** Lists the documents of a data source without their texts, a page at a time. */
      list: method("documents.list"),
      /** Deletes a document; fragments that refer to it keep its text. */
      delete: method("documents.delete"),
    },
    folders: {
      /** Uploads a folder, in place of the one with the same id. */
      upsert: method("folders.upsert"),
      /** Deletes a folder; documents that name it as their parent stay. */
      delete: method("folders.delete"),
    },
    knowledge: {
      /** Finds parts of the documents that the key reaches, as agents do. */
      search: method("knowledge.search"),
    },
    nodes: {
      /** Searches documents and folders, as `search` does, with a query string. */
      find: method("nodes.find"),
      /** Searches documents and folders by title and text, or reads them by their ids. */
      search: method("nodes.search"),
    },
  };
}

/** Follows the requests to an MCP server in this client; `path` is that of all servers. */
export function followServer(
  caller: Caller,
  { path, serverId }: { readonly path: string; readonly serverId: string },
  options?: FollowOptions,
): Follower<ClientServerMessage> {
  const ofServer = path + searchOf([["serverId", serverId]]);
  return follow(caller, { path: ofServer, isEnveloped: true }, options);
}
