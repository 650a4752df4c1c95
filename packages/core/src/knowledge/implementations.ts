import type { Implementations } from "../implementation.ts";
import {
  createDataSourceView,
  listDataSourceViews,
  putDataSourceNode,
  removeDataSourceNode,
  removeDataSourceView,
} from "./data-source-administration.ts";
import { listDataSources, listViewsInSpace } from "./data-sources.ts";
import {
  deleteDocument,
  deleteFolder,
  getDocument,
  listDocuments,
  replayDocument,
  replayFolder,
  upsertDocument,
  upsertFolder,
} from "./documents.ts";
import {
  checkUpsertQueue,
  getDataSource,
  getDocumentBlob,
  replayParents,
  setDocumentParents,
} from "./further-documents.ts";
import { divideDataSourceNode, listDataSourceNodes } from "./node-administration.ts";
import { searchDataSource, searchDocuments } from "./search-documents.ts";
import { findNodes, searchNodes } from "./search-nodes.ts";
import {
  deleteTableRow,
  getTableRow,
  listTableRows,
  replayTableRows,
  upsertTableRows,
} from "./table-rows.ts";
import {
  deleteTable,
  getTable,
  listTables,
  replayTable,
  setTableParents,
  uploadCsv,
  upsertTable,
} from "./tables.ts";
import { findDataSourceViews, getDataSourceView, updateDataSourceView } from "./views.ts";

/** The endpoints that are implemented here. */
export const knowledgeImplementations = {
  "dataSourceNodes.divide": divideDataSourceNode,
  "dataSourceNodes.list": listDataSourceNodes,
  "dataSourceNodes.put": putDataSourceNode,
  "dataSourceNodes.remove": removeDataSourceNode,
  "dataSourceViews.create": createDataSourceView,
  "dataSourceViews.find": findDataSourceViews,
  "dataSourceViews.get": getDataSourceView,
  "dataSourceViews.list": listDataSourceViews,
  "dataSourceViews.listInSpace": listViewsInSpace,
  "dataSourceViews.remove": removeDataSourceView,
  "dataSourceViews.searchDocuments": searchDocuments,
  "dataSourceViews.update": updateDataSourceView,
  "dataSources.checkUpsertQueue": checkUpsertQueue,
  "dataSources.get": getDataSource,
  "dataSources.list": listDataSources,
  "dataSources.search": searchDataSource,
  "documents.delete": deleteDocument,
  "documents.get": getDocument,
  "documents.getBlob": getDocumentBlob,
  "documents.list": listDocuments,
  "documents.setParents": { make: setDocumentParents, replay: replayParents },
  "documents.upsert": { make: upsertDocument, replay: replayDocument },
  "folders.delete": deleteFolder,
  "folders.upsert": { make: upsertFolder, replay: replayFolder },
  "nodes.find": findNodes,
  "nodes.search": searchNodes,
  "tableRows.delete": deleteTableRow,
  "tableRows.get": getTableRow,
  "tableRows.list": listTableRows,
  "tableRows.upsert": { make: upsertTableRows, replay: replayTableRows },
  "tables.delete": deleteTable,
  "tables.get": getTable,
  "tables.list": listTables,
  "tables.setParents": { make: setTableParents, replay: replayParents },
  "tables.uploadCsv": { make: uploadCsv, replay: replayTable },
  "tables.upsert": { make: upsertTable, replay: replayTable },
} satisfies Implementations;
