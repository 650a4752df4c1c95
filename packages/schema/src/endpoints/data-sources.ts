import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import {
  AdministeredDataSourceView,
  AdministeredViewIdentity,
  CreateDataSourceView,
  DataSource,
  DataSourcesParams,
  DataSourceView,
  DataSourceViewParams,
  PutDataSourceNode,
  RemoveDataSourceNode,
  UpdateDataSourceView,
} from "../knowledge/data-sources.ts";
import { Success, WorkspaceParams } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import { SpaceIdentity } from "../workspaces/spaces.ts";
import { administer, administered, get } from "./defaults.ts";

const views = `${administered}/data-source-views` as const;
const ofNode = {
  subject: ["dataSourceViewId", "nodeId"],
  output: Success,
  errors: ["workspace_not_found", "data_source_view_not_found"],
} as const;
const ofNodes = { ...ofNode, errors: [...ofNode.errors, "data_source_quota_error"] } as const;

const root = "/api/v1/w/{wId}";
const read = { ...get, scope: "knowledge:read", tags: ["knowledge"] } as const;
const ofView = {
  ...read,
  path: `${root}/spaces/{spaceId}/data_source_views/{dsvId}`,
  params: DataSourceViewParams,
  output: z.object({ dataSourceView: DataSourceView.describe("The view") }),
  errors: ["data_source_view_not_found"],
} as const;

/** Operations on data sources and the views of them. */
export const dataSourceEndpoints = {
  "dataSources.list": {
    ...read,
    summary: "List the data sources that the key reaches",
    path: `${root}/data_sources`,
    alsoAt: `${root}/spaces/{spaceId}/data_sources`,
    params: DataSourcesParams,
    output: z.object({
      data_sources: z.array(DataSource).describe("Data sources, the oldest first"),
    }),
    errors: ["space_not_found"],
  },
  "dataSourceViews.listInSpace": {
    ...read,
    summary: "List the data source views of a space",
    path: `${root}/spaces/{spaceId}/data_source_views`,
    params: SpaceIdentity,
    output: z.object({
      dataSourceViews: z.array(DataSourceView).describe("Views, the oldest first"),
    }),
    errors: ["space_not_found"],
  },
  "dataSourceViews.get": { ...ofView, summary: "Read a data source view" },
  "dataSourceViews.update": {
    ...ofView,
    summary: "Set what a view shows of its data source",
    method: "PATCH",
    role: "builder",
    scope: null,
    body: UpdateDataSourceView,
  },
  "dataSourceViews.create": {
    ...administer({
      role: "builder",
      method: "POST",
      path: views,
      input: CreateDataSourceView,
    }),
    summary: "Create a data source, with its view",
    subject: [],
    output: z.object({
      dataSourceView: AdministeredDataSourceView.describe("The new data source's view"),
    }),
    errors: ["workspace_not_found", "space_not_found", "data_source_quota_error"],
  },
  "dataSourceViews.list": {
    ...administer({
      role: "builder",
      method: "GET",
      path: views,
      input: WorkspaceParams.extend(pageByNumber("Views")),
    }),
    summary: "List the data source views of a workspace",
    output: z.object({
      dataSourceViews: z.array(AdministeredDataSourceView).describe("Views, the oldest first"),
      ...pageEnd,
    }),
  },
  "dataSourceViews.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${views}/{dataSourceViewId}`,
      input: AdministeredViewIdentity,
    }),
    summary: "Delete a data source with its view and everything in it",
    subject: ["dataSourceViewId"],
    output: Success,
    errors: ["workspace_not_found", "data_source_view_not_found"],
  },
  "dataSourceNodes.put": {
    ...administer({
      role: "builder",
      method: "PUT",
      path: `${views}/{dataSourceViewId}/nodes/{nodeId}`,
      input: PutDataSourceNode,
    }),
    ...ofNodes,
    summary: "Write a node of a data source view",
  },
  "dataSourceNodes.remove": {
    ...administer({
      role: "builder",
      method: "DELETE",
      path: `${views}/{dataSourceViewId}/nodes/{nodeId}`,
      input: RemoveDataSourceNode,
    }),
    ...ofNode,
    summary: "Remove a node of a data source view",
  },
} as const satisfies Record<string, Endpoint>;
