import * as z from "zod";
import type { Endpoint } from "../endpoint.ts";
import { OfWorkspace, Success } from "../params.ts";
import {
  CreateDataSourceView,
  DataSourceView,
  PutDataSourceNode,
  RemoveDataSourceNode,
} from "../workspaces/data-sources.ts";
import { builderMutation, builderQuery } from "./defaults.ts";

const ofNode = {
  ...builderMutation,
  subject: ["dataSourceViewId", "nodeId"],
  output: Success,
  errors: ["workspace_not_found", "data_source_view_not_found"],
} as const;

/** Operations on data source views and their nodes. */
export const dataSourceEndpoints = {
  "dataSourceViews.create": {
    ...builderMutation,
    summary: "Register a data source view",
    subject: [],
    input: CreateDataSourceView,
    output: z.object({ dataSourceView: DataSourceView.describe("The new view") }),
    errors: ["workspace_not_found", "space_not_found"],
  },
  "dataSourceViews.list": {
    ...builderQuery,
    summary: "List the data source views of a workspace",
    input: OfWorkspace,
    output: z.object({
      dataSourceViews: z.array(DataSourceView).describe("Views, the oldest first"),
    }),
  },
  "dataSourceNodes.put": {
    ...ofNode,
    summary: "Write a node of a data source view",
    input: PutDataSourceNode,
  },
  "dataSourceNodes.remove": {
    ...ofNode,
    summary: "Remove a node of a data source view",
    input: RemoveDataSourceNode,
  },
} as const satisfies Record<string, Endpoint>;
