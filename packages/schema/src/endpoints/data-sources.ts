import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { WorkspaceParams, Success } from "../params.ts";
import { pageByNumber, pageEnd } from "../parsing/page.ts";
import {
  CreateDataSourceView,
  DataSourceView,
  PutDataSourceNode,
  RemoveDataSourceNode,
} from "../workspaces/data-sources.ts";
import { administer, administered } from "./defaults.ts";

const views = `${administered}/data-source-views` as const;
const ofNode = {
  subject: ["dataSourceViewId", "nodeId"],
  output: Success,
  errors: ["workspace_not_found", "data_source_view_not_found"],
} as const;

/** Operations on data source views and their nodes. */
export const dataSourceEndpoints = {
  "dataSourceViews.create": {
    ...administer({
      role: "builder",
      method: "POST",
      path: views,
      input: CreateDataSourceView,
    }),
    summary: "Register a data source view",
    subject: [],
    output: z.object({ dataSourceView: DataSourceView.describe("The new view") }),
    errors: ["workspace_not_found", "space_not_found"],
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
      dataSourceViews: z.array(DataSourceView).describe("Views, the oldest first"),
      ...pageEnd,
    }),
  },
  "dataSourceNodes.put": {
    ...administer({
      role: "builder",
      method: "PUT",
      path: `${views}/{dataSourceViewId}/nodes/{nodeId}`,
      input: PutDataSourceNode,
    }),
    ...ofNode,
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
